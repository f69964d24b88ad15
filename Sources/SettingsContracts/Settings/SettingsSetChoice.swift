// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// At least one of the two switches.
public struct SettingsSetChoiceParams: Codable, Sendable, Hashable {
  /// The caller's own; another's is refused.
  public var accountId: String?
  /// The caller's own; another's is refused.
  public var deviceId: String?
  /// The version the person saw.
  public var policyVersion: Int
  /// The category personalization.
  public var personalizedRecommendations: Bool?
  /// The category analytics.
  public var shareAnalytics: Bool?
  public var context: ConsentContext
  /// As for `consent.decide`.
  public var confirm: [ConsentConfirmation]?

  public init(
    accountId: String? = nil, deviceId: String? = nil, policyVersion: Int, personalizedRecommendations: Bool? = nil,
    shareAnalytics: Bool? = nil, context: ConsentContext, confirm: [ConsentConfirmation]? = nil
  ) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.policyVersion = policyVersion
    self.personalizedRecommendations = personalizedRecommendations
    self.shareAnalytics = shareAnalytics
    self.context = context
    self.confirm = confirm
  }
}

/// The switches as they are now.
public struct SettingsSetChoiceResult: Codable, Sendable, Hashable {
  public var personalizedRecommendations: Bool
  public var shareAnalytics: Bool
  /// The live one.
  public var policyVersion: Int
  public var revision: Int64
  /// Of the audit record. Absent when nothing changed.
  public var entryId: String?

  public init(
    personalizedRecommendations: Bool, shareAnalytics: Bool, policyVersion: Int, revision: Int64, entryId: String?
  ) {
    self.personalizedRecommendations = personalizedRecommendations
    self.shareAnalytics = shareAnalytics
    self.policyVersion = policyVersion
    self.revision = revision
    self.entryId = entryId
  }
}
