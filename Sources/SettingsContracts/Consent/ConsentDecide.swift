// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// Where a decision was made: evidence for the audit trail.
public struct ConsentContext: Codable, Sendable, Hashable {
  public var appVersion: String
  public var osVersion: String
  /// The language the person read, BCP 47.
  public var locale: String?
  /// Such as `banner` or `preferences`.
  public var surface: String?
  public var surfaceVersion: String?

  public init(
    appVersion: String, osVersion: String, locale: String? = nil, surface: String? = nil,
    surfaceVersion: String? = nil
  ) {
    self.appVersion = appVersion
    self.osVersion = osVersion
    self.locale = locale
    self.surface = surface
    self.surfaceVersion = surfaceVersion
  }
}

/// What a person says about a decision that needs a second step.
public enum ConsentConfirmation: String, WireWord {
  /// Yes, opt in again after having opted out.
  case optInAfterOptOut
  /// Yes, although Global Privacy Control says no.
  case gpcConflict
}

/// The methods a client may name.
public enum ConsentDecideMethod: String, WireWord {
  /// A whole screen was saved.
  case save
  /// One switch was flipped.
  case toggle
}

public struct ConsentDecideParams: Codable, Sendable, Hashable {
  public var accountId: String?
  public var deviceId: String?
  /// The version the person saw.
  public var policyVersion: Int
  /// Category to yes or no.
  public var decisions: [String: Bool]
  public var method: ConsentDecideMethod
  public var context: ConsentContext
  /// A UUID of the client's; repeats to the first outcome for ever.
  public var decisionId: String?
  /// When the person decided, if earlier than now.
  public var occurredAt: Timestamp?
  public var confirm: [ConsentConfirmation]?

  public init(
    accountId: String? = nil, deviceId: String? = nil, policyVersion: Int, decisions: [String: Bool],
    method: ConsentDecideMethod, context: ConsentContext, decisionId: String? = nil, occurredAt: Timestamp? = nil,
    confirm: [ConsentConfirmation]? = nil
  ) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.policyVersion = policyVersion
    self.decisions = decisions
    self.method = method
    self.context = context
    self.decisionId = decisionId
    self.occurredAt = occurredAt
    self.confirm = confirm
  }
}

/// Yes to every optional category of the version the person saw.
public struct ConsentGrantAllParams: Codable, Sendable, Hashable {
  public var accountId: String?
  public var deviceId: String?
  /// The version the person saw.
  public var policyVersion: Int
  public var context: ConsentContext
  public var decisionId: String?
  public var occurredAt: Timestamp?
  public var confirm: [ConsentConfirmation]?

  public init(
    accountId: String? = nil, deviceId: String? = nil, policyVersion: Int, context: ConsentContext,
    decisionId: String? = nil, occurredAt: Timestamp? = nil, confirm: [ConsentConfirmation]? = nil
  ) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.policyVersion = policyVersion
    self.context = context
    self.decisionId = decisionId
    self.occurredAt = occurredAt
    self.confirm = confirm
  }
}

/// Params of `consent.denyAll` and `consent.optOut`. A refusal never fails for want of evidence: everything is optional.
public struct ConsentRefuseParams: Codable, Sendable, Hashable {
  public var accountId: String?
  public var deviceId: String?
  /// The live one when left out.
  public var policyVersion: Int?
  public var context: ConsentContext?
  public var decisionId: String?
  public var occurredAt: Timestamp?

  public init(
    accountId: String? = nil, deviceId: String? = nil, policyVersion: Int? = nil, context: ConsentContext? = nil,
    decisionId: String? = nil, occurredAt: Timestamp? = nil
  ) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.policyVersion = policyVersion
    self.context = context
    self.decisionId = decisionId
    self.occurredAt = occurredAt
  }
}

/// Params of `consent.withdraw` and `consent.reset`.
public struct ConsentWithdrawParams: Codable, Sendable, Hashable {
  public var accountId: String?
  public var deviceId: String?
  /// Every optional category when left out.
  public var categories: [String]?
  /// The live one when left out.
  public var policyVersion: Int?
  public var context: ConsentContext?
  public var decisionId: String?
  public var occurredAt: Timestamp?

  public init(
    accountId: String? = nil, deviceId: String? = nil, categories: [String]? = nil, policyVersion: Int? = nil,
    context: ConsentContext? = nil, decisionId: String? = nil, occurredAt: Timestamp? = nil
  ) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.categories = categories
    self.policyVersion = policyVersion
    self.context = context
    self.decisionId = decisionId
    self.occurredAt = occurredAt
  }
}

// What a decision asked is read, and hashed to know it again, with every call.

extension ConsentDecideParams: CanonicallyEncodable {
  public init(from decoder: any Decoder) throws {
    let members = try JSONMembers(decoder)
    accountId = try members.readIfPresent("accountId")
    deviceId = try members.readIfPresent("deviceId")
    policyVersion = try members.read("policyVersion")
    decisions = try members.read("decisions")
    method = try members.read("method")
    context = try members.read("context")
    decisionId = try members.readIfPresent("decisionId")
    occurredAt = try members.readIfPresent("occurredAt")
    confirm = try members.readIfPresent("confirm")
  }

  public func encode(into object: JSONObject) {
    object.put("accountId", accountId)
    object.put("confirm", confirm.map { JSONValue.array($0.map { .string($0.rawValue) }) })
    object.put("context", context)
    object.put("decisionId", decisionId)
    object.put("decisions", decisions.mapValues { .bool($0) })
    object.put("deviceId", deviceId)
    object.put("method", method.rawValue)
    object.put("occurredAt", occurredAt)
    object.put("policyVersion", policyVersion)
  }
}

extension ConsentContext: CanonicallyEncodable {
  public init(from decoder: any Decoder) throws {
    let members = try JSONMembers(decoder)
    appVersion = try members.read("appVersion")
    osVersion = try members.read("osVersion")
    locale = try members.readIfPresent("locale")
    surface = try members.readIfPresent("surface")
    surfaceVersion = try members.readIfPresent("surfaceVersion")
  }

  public func encode(into object: JSONObject) {
    object.put("appVersion", appVersion)
    object.put("locale", locale)
    object.put("osVersion", osVersion)
    object.put("surface", surface)
    object.put("surfaceVersion", surfaceVersion)
  }
}
