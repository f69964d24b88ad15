// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The payload of account-service's events of the kinds `account.created` and `account.updated`, for services that need
/// to know what the account's language and time zone are now.
public struct AccountEventPayload: Codable, Sendable, Hashable {
  public var locale: String
  public var timeZone: String

  public init(locale: String, timeZone: String) {
    self.locale = locale
    self.timeZone = timeZone
  }
}

/// The payload of account-service's events of the kind `app.published`.
public struct AppEventPayload: Codable, Sendable, Hashable {
  public var defaultLocale: String
  public var defaultRegulation: String?

  public init(defaultLocale: String, defaultRegulation: String?) {
    self.defaultLocale = defaultLocale
    self.defaultRegulation = defaultRegulation
  }
}
