// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Why a server could not start.
public struct HTTPServerError: Error, CustomStringConvertible, Sendable {
  /// Such as `127.0.0.1:8080: Address already in use`.
  public let description: String
}
