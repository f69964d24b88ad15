// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// Everything a consent screen shows of one person or device, evaluated now.
public struct ConsentState: Codable, Sendable, Hashable {
  /// Such as `gdpr`; `consent.catalog` lists them.
  public var regulation: String
  /// The live one.
  public var policyVersion: Int
  public var notice: ConsentNotice
  public var needsConsent: Bool
  public var promptReason: ConsentPromptReason
  /// `2 of 4 optional categories enabled`.
  public var summary: String
  /// Optional categories that are allowed.
  public var enabledCount: Int
  /// Optional categories that apply.
  public var optionalCount: Int
  public var categories: [Category]
  public var signals: ConsentSignals
  /// When the answer changes by itself next.
  public var reviewAt: Timestamp?
  public var country: String?
  public var subdivision: String?
  public var ageBand: ConsentAgeBand
  public var revision: Int64
  /// Of the audit record, after a write: the first, where it left several.
  public var entryId: String?
  /// Decisions of this call that a later one had overtaken: kept as evidence, without effect.
  public var superseded: [Superseded]?

  public init(
    regulation: String, policyVersion: Int, notice: ConsentNotice, needsConsent: Bool,
    promptReason: ConsentPromptReason, summary: String, enabledCount: Int, optionalCount: Int,
    categories: [Category], signals: ConsentSignals, reviewAt: Timestamp?, country: String?, subdivision: String?,
    ageBand: ConsentAgeBand, revision: Int64, entryId: String? = nil, superseded: [Superseded]? = nil
  ) {
    self.regulation = regulation
    self.policyVersion = policyVersion
    self.notice = notice
    self.needsConsent = needsConsent
    self.promptReason = promptReason
    self.summary = summary
    self.enabledCount = enabledCount
    self.optionalCount = optionalCount
    self.categories = categories
    self.signals = signals
    self.reviewAt = reviewAt
    self.country = country
    self.subdivision = subdivision
    self.ageBand = ageBand
    self.revision = revision
    self.entryId = entryId
    self.superseded = superseded
  }

  public struct Category: Codable, Sendable, Hashable {
    public var id: String
    public var displayName: String
    public var explanation: String
    public var required: Bool
    public var status: ConsentStatus
    public var allowed: Bool
    public var reason: ConsentReason
    public var decidedAt: Timestamp?
    /// The version the decision was about.
    public var policyVersion: Int?
    public var method: ConsentMethod?

    public init(
      id: String, displayName: String, explanation: String, required: Bool, status: ConsentStatus, allowed: Bool,
      reason: ConsentReason, decidedAt: Timestamp? = nil, policyVersion: Int? = nil, method: ConsentMethod? = nil
    ) {
      self.id = id
      self.displayName = displayName
      self.explanation = explanation
      self.required = required
      self.status = status
      self.allowed = allowed
      self.reason = reason
      self.decidedAt = decidedAt
      self.policyVersion = policyVersion
      self.method = method
    }
  }

  /// A decision that came too late to count.
  public struct Superseded: Codable, Sendable, Hashable {
    public var category: String
    public var status: ConsentStatus
    public var occurredAt: Timestamp
    public var policyVersion: Int
    /// Of its audit record.
    public var entryId: String

    public init(
      category: String, status: ConsentStatus, occurredAt: Timestamp, policyVersion: Int, entryId: String
    ) {
      self.category = category
      self.status = status
      self.occurredAt = occurredAt
      self.policyVersion = policyVersion
      self.entryId = entryId
    }
  }
}

/// Signals of the browser, the device and its system, as far as they are known for the caller's device, else the
/// strictest known.
public struct ConsentSignals: Codable, Sendable, Hashable {
  public var gpc: GPC
  /// Left out while the device has not said.
  public var att: ConsentATT?

  public init(gpc: GPC, att: ConsentATT?) {
    self.gpc = gpc
    self.att = att
  }

  /// Global Privacy Control. Whether it was honoured must be displayed (CCPA regulations, § 7025(c)(6)).
  public struct GPC: Codable, Sendable, Hashable {
    public var present: Bool
    public var honored: Bool
    /// When it last changed.
    public var at: Timestamp?

    public init(present: Bool, honored: Bool, at: Timestamp?) {
      self.present = present
      self.honored = honored
      self.at = at
    }
  }
}

/// App Tracking Transparency's answer on a device.
public enum ConsentATT: String, WireWord {
  case authorized, denied, restricted, notDetermined
}

public struct ConsentSignalParams: Codable, Sendable, Hashable {
  public var accountId: String?
  public var deviceId: String?
  /// Global Privacy Control.
  public var gpc: Bool?
  public var att: ConsentATT?

  public init(accountId: String? = nil, deviceId: String? = nil, gpc: Bool? = nil, att: ConsentATT? = nil) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.gpc = gpc
    self.att = att
  }
}
