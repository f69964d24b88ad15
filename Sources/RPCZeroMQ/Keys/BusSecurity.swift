// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// How a program's tcp endpoints are protected. ipc and inproc are left to the file system and the process.
public enum BusSecurity: Sendable {
  /// No tcp but on the loopback.
  case local
  /// Plain text everywhere: anyone on the way can read and write.
  case plaintext
  /// CURVE on every tcp endpoint, the loopback's too.
  case curve(KeyRing)
}

/// An endpoint that other machines can reach would be served, or called, in plain text.
public struct PlaintextRefused: Error, CustomStringConvertible {
  public let endpoint: String
  public var description: String {
    "\(endpoint): plain text is spoken on ipc and on loopback addresses only; give CURVE keys (ASSENT_CURVE_KEY_FILE), "
      + "or allow it with ASSENT_ALLOW_PLAINTEXT=1"
  }
}
