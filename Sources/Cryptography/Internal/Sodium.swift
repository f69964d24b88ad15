// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// libsodium, initialised once. It must be before random bytes are drawn; hashing needs no initialisation.
enum Sodium {
  /// Evaluated by the first use; `sodium_init` may be called from any thread and again.
  static let ready: Void = {
    precondition(sodium_init() >= 0, "libsodium cannot be initialised: no source of random numbers")
  }()
}
