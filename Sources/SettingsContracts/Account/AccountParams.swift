// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public struct AccountCreateParams: Codable, Sendable, Hashable {
  /// 1 to 128 of `A-Z a-z 0-9 . _ ~ : -`, never an e-mail address; made by the server when left out.
  public var accountId: String?
  /// 1 to 200 characters, not blank.
  public var name: String
  /// At most 254 bytes.
  public var email: String
  /// At most 50 characters.
  public var plan: String?
  /// BCP 47; the app's default when left out.
  public var locale: String?
  /// A name of the IANA time zone database; `UTC` when left out.
  public var timeZone: String?

  public init(
    accountId: String? = nil, name: String, email: String, plan: String? = nil, locale: String? = nil,
    timeZone: String? = nil
  ) {
    self.accountId = accountId
    self.name = name
    self.email = email
    self.plan = plan
    self.locale = locale
    self.timeZone = timeZone
  }
}

public struct AccountGetParams: Codable, Sendable, Hashable {
  public var accountId: String?

  public init(accountId: String? = nil) { self.accountId = accountId }
}

public struct AccountRenameParams: Codable, Sendable, Hashable {
  public var accountId: String?
  /// 1 to 200 characters, not blank.
  public var name: String

  public init(accountId: String? = nil, name: String) {
    self.accountId = accountId
    self.name = name
  }
}

/// What is left out stays.
public struct AccountUpdateParams: Codable, Sendable, Hashable {
  public var accountId: String?
  public var locale: String?
  public var timeZone: String?
  /// By a key with the scope account only, as `email` and `plan`.
  public var name: String?
  public var email: String?
  /// Empty: none.
  public var plan: String?

  public init(
    accountId: String? = nil, locale: String? = nil, timeZone: String? = nil, name: String? = nil,
    email: String? = nil, plan: String? = nil
  ) {
    self.accountId = accountId
    self.locale = locale
    self.timeZone = timeZone
    self.name = name
    self.email = email
    self.plan = plan
  }
}

public struct AccountSetAppearanceParams: Codable, Sendable, Hashable {
  public var accountId: String?
  public var appearance: Appearance

  public init(accountId: String? = nil, appearance: Appearance) {
    self.accountId = accountId
    self.appearance = appearance
  }
}
