// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A version of an app's consent policy. Immutable once published.
public struct ConsentPolicy: Codable, Sendable, Hashable {
  /// Greater than every version before.
  public var version: Int
  /// Grants given to earlier versions do not carry over.
  public var material: Bool
  public var categories: [Category]
  /// Days a grant holds; the regulation's own when left out.
  public var maxAgeDays: Int?
  /// Days after which a refusal may be asked again; never when left out.
  public var reAskDays: Int?
  /// What the person is told, one per language.
  public var notices: [Notice]

  public init(
    version: Int, material: Bool, categories: [Category], maxAgeDays: Int? = nil, reAskDays: Int? = nil,
    notices: [Notice]
  ) {
    self.version = version
    self.material = material
    self.categories = categories
    self.maxAgeDays = maxAgeDays
    self.reAskDays = reAskDays
    self.notices = notices
  }

  public struct Category: Codable, Sendable, Hashable {
    public var id: String
    /// Processed without asking; cannot be switched off.
    public var required: Bool
    /// Such as `consent`, `contract` or `legitimateInterests` (GDPR, Art. 6(1)).
    public var legalBasis: String
    public var uses: [ConsentUse]
    public var recipients: [String]?
    public var retention: String?
    /// The regulations under which the category exists; all when left out.
    public var regulations: [String]?
    public var texts: [Text]

    public init(
      id: String, required: Bool, legalBasis: String, uses: [ConsentUse], recipients: [String]? = nil,
      retention: String? = nil, regulations: [String]? = nil, texts: [Text]
    ) {
      self.id = id
      self.required = required
      self.legalBasis = legalBasis
      self.uses = uses
      self.recipients = recipients
      self.retention = retention
      self.regulations = regulations
      self.texts = texts
    }
  }

  public struct Text: Codable, Sendable, Hashable {
    /// BCP 47.
    public var locale: String
    public var displayName: String
    public var explanation: String

    public init(locale: String, displayName: String, explanation: String) {
      self.locale = locale
      self.displayName = displayName
      self.explanation = explanation
    }
  }

  public struct Notice: Codable, Sendable, Hashable {
    /// BCP 47.
    public var locale: String
    public var title: String
    public var text: String

    public init(locale: String, title: String, text: String) {
      self.locale = locale
      self.title = title
      self.text = text
    }
  }
}
