// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

public struct ConsentCatalogParams: Codable, Sendable, Hashable {
  /// BCP 47; the caller's language when left out.
  public var locale: String?
  public init(locale: String? = nil) { self.locale = locale }
}

/// The live policy version, in one language, and the regulations that are known.
public struct ConsentCatalog: Codable, Sendable, Hashable {
  public var policyVersion: Int
  public var publishedAt: Timestamp
  public var notice: ConsentNotice
  public var categories: [Category]
  public var regulations: [Regulation]
  public var maxAgeDays: Int?
  public var reAskDays: Int?
  /// The languages of the notice.
  public var locales: [String]
  public var revision: Int64
  /// Of the audit record, after a write.
  public var entryId: String?

  public init(
    policyVersion: Int, publishedAt: Timestamp, notice: ConsentNotice, categories: [Category],
    regulations: [Regulation], maxAgeDays: Int?, reAskDays: Int?, locales: [String], revision: Int64,
    entryId: String? = nil
  ) {
    self.policyVersion = policyVersion
    self.publishedAt = publishedAt
    self.notice = notice
    self.categories = categories
    self.regulations = regulations
    self.maxAgeDays = maxAgeDays
    self.reAskDays = reAskDays
    self.locales = locales
    self.revision = revision
    self.entryId = entryId
  }

  public struct Category: Codable, Sendable, Hashable {
    public var id: String
    public var displayName: String
    public var explanation: String
    public var required: Bool
    public var legalBasis: String
    public var uses: [ConsentUse]
    public var recipients: [String]?
    public var retention: String?
    public var regulations: [String]?

    public init(
      id: String, displayName: String, explanation: String, required: Bool, legalBasis: String, uses: [ConsentUse],
      recipients: [String]?, retention: String?, regulations: [String]?
    ) {
      self.id = id
      self.displayName = displayName
      self.explanation = explanation
      self.required = required
      self.legalBasis = legalBasis
      self.uses = uses
      self.recipients = recipients
      self.retention = retention
      self.regulations = regulations
    }
  }

  public struct Regulation: Codable, Sendable, Hashable {
    /// Such as `gdpr`.
    public var id: String
    public var displayName: String
    public var mechanism: ConsentMechanism

    public init(id: String, displayName: String, mechanism: ConsentMechanism) {
      self.id = id
      self.displayName = displayName
      self.mechanism = mechanism
    }
  }
}

/// How a regulation lets processing begin.
public enum ConsentMechanism: String, WireWord {
  /// After a yes.
  case optIn
  /// At once, until a no.
  case optOut
}

/// What the person is told.
public struct ConsentNotice: Codable, Sendable, Hashable {
  public var title: String
  public var text: String
  /// SHA-256, hexadecimal, of the canonical JSON (RFC 8785) of everything the person was shown in this language:
  /// `{categories: [{displayName, explanation, id}], locale, policyVersion, text, title}`.
  public var hash: String
  public var locale: String

  public init(title: String, text: String, hash: String, locale: String) {
    self.title = title
    self.text = text
    self.hash = hash
    self.locale = locale
  }
}
