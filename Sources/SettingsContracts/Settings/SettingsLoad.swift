// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// A part of the settings screen.
public enum SettingsSectionName: String, WireWord {
  case account, permissions, privacy, notifications, consent, export, deletion, links
}

public struct SettingsLoadParams: Codable, Sendable, Hashable {
  /// The caller's own; another's is refused.
  public var accountId: String?
  /// The caller's own; another's is refused.
  public var deviceId: String?
  /// All of them when left out.
  public var sections: [SettingsSectionName]?
  /// BCP 47; the caller's language when left out.
  public var locale: String?

  public init(
    accountId: String? = nil, deviceId: String? = nil, sections: [SettingsSectionName]? = nil, locale: String? = nil
  ) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.sections = sections
    self.locale = locale
  }
}

/// The sections that were asked for.
public struct SettingsLoadResult: Codable, Sendable {
  /// Before sign-in its value is null.
  public var account: SettingsSection<Account>?
  public var permissions: SettingsSection<PermissionListResult>?
  public var privacy: SettingsSection<SettingsPrivacy>?
  /// Before sign-in its value is null.
  public var notifications: SettingsSection<NotificationPreferencesResult>?
  public var consent: SettingsSection<ConsentState>?
  public var export: SettingsSection<SettingsFeature>?
  public var deletion: SettingsSection<SettingsFeature>?
  public var links: SettingsSection<SettingsLinks>?
}

/// One section: its value, or why it could not be had.
public struct SettingsSection<Value: Codable & Sendable>: Codable, Sendable {
  public var ok: Bool
  /// Null where the caller has none.
  public var value: Value?
  /// A JSON-RPC error object, as the section's own method would have answered.
  public var error: JSONValue?

  public init(_ value: Value?) {
    ok = true
    self.value = value
  }

  public init(error: JSONValue) {
    ok = false
    self.error = error
  }

  /// Asks for an optional value, which is how a schema learns that it may be null.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    ok = try container.decode(Bool.self, forKey: .ok)
    value = container.contains(.value) ? try container.decode(Value?.self, forKey: .value) : nil
    error = try container.decodeIfPresent(JSONValue.self, forKey: .error)
  }
}

/// The privacy card: two switches and how many accounts are blocked.
public struct SettingsPrivacy: Codable, Sendable, Hashable {
  /// Whether the category personalization is allowed.
  public var personalizedRecommendations: Bool
  /// Whether the category analytics is allowed.
  public var shareAnalytics: Bool
  /// 0 before sign-in.
  public var blockedCount: Int

  public init(personalizedRecommendations: Bool, shareAnalytics: Bool, blockedCount: Int) {
    self.personalizedRecommendations = personalizedRecommendations
    self.shareAnalytics = shareAnalytics
    self.blockedCount = blockedCount
  }
}

/// Whether this deployment offers a part of the screen.
public struct SettingsFeature: Codable, Sendable, Hashable {
  public var available: Bool

  public init(available: Bool) { self.available = available }
}

/// The app's pages in the best language there is.
public struct SettingsLinks: Codable, Sendable, Hashable {
  public var privacyPolicy: String?
  public var terms: String?
  /// The language of these pages, BCP 47; absent without any.
  public var locale: String?

  public init(privacyPolicy: String? = nil, terms: String? = nil, locale: String? = nil) {
    self.privacyPolicy = privacyPolicy
    self.terms = terms
    self.locale = locale
  }
}
