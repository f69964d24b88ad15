// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public struct ConsentGetParams: Codable, Sendable, Hashable {
  public var accountId: String?
  public var deviceId: String?
  /// BCP 47; the caller's language when left out.
  public var locale: String?

  public init(accountId: String? = nil, deviceId: String? = nil, locale: String? = nil) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.locale = locale
  }
}
