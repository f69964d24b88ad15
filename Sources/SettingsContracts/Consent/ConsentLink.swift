// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Brings what a device decided before sign-in to the account.
public struct ConsentLinkParams: Codable, Sendable, Hashable {
  /// The device's own token, as proof that it is the caller's.
  public var deviceToken: String
  public init(deviceToken: String) { self.deviceToken = deviceToken }
}
