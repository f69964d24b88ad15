// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public struct NotificationCatalogParams: Codable, Sendable {
  /// BCP 47; without it the request's locale.
  public var locale: String?
  public init(locale: String? = nil) { self.locale = locale }
}

/// The kinds of notification an app sends, in the order its screen lists them, in one language.
public struct NotificationCatalogResult: Codable, Sendable {
  /// Of the app's catalog; 0 for the one that is built in.
  public var revision: Int64
  public var categories: [Category]
  public var entryId: String?
  public init(revision: Int64, categories: [Category], entryId: String? = nil) {
    self.revision = revision
    self.categories = categories
    self.entryId = entryId
  }

  public struct Category: Codable, Sendable {
    public var id: String
    public var title: String
    public var detail: String?
    public var symbol: String?
    /// The channels offered, in display order.
    public var channels: [NotificationChannel]
    /// The channels that are on until the person chooses.
    public var defaultOn: [NotificationChannel]
    public var critical: Bool
    public var commercial: Bool
    public var consentCategory: String?
    public init(
      id: String, title: String, detail: String?, symbol: String?, channels: [NotificationChannel],
      defaultOn: [NotificationChannel], critical: Bool, commercial: Bool, consentCategory: String?
    ) {
      self.id = id
      self.title = title
      self.detail = detail
      self.symbol = symbol
      self.channels = channels
      self.defaultOn = defaultOn
      self.critical = critical
      self.commercial = commercial
      self.consentCategory = consentCategory
    }
  }
}

/// An app's own catalog, which replaces the one before.
public struct NotificationPublishCatalogParams: Codable, Sendable {
  public var categories: [Category]
  public init(categories: [Category]) { self.categories = categories }

  public struct Category: Codable, Sendable, Hashable {
    /// Stable, for saving: 1 to 64 letters, digits, `.`, `_` or `-`.
    public var id: String
    /// One for each language; the first serves where none fits.
    public var texts: [Texts]
    /// An SF Symbol's name.
    public var symbol: String?
    /// The channels offered, in display order; at least one.
    public var channels: [NotificationChannel]
    /// Those of them that are on until the person chooses; without it none, or all of a critical category's.
    public var defaultOn: [NotificationChannel]?
    /// Never held, and cannot be turned off. Without it false.
    public var critical: Bool?
    /// Advertising: a person can unsubscribe without signing in. Without it false.
    public var commercial: Bool?
    /// The consent category without whose grant nothing is sent.
    public var consentCategory: String?
    public init(
      id: String, texts: [Texts], symbol: String? = nil, channels: [NotificationChannel],
      defaultOn: [NotificationChannel]? = nil, critical: Bool? = nil, commercial: Bool? = nil,
      consentCategory: String? = nil
    ) {
      self.id = id
      self.texts = texts
      self.symbol = symbol
      self.channels = channels
      self.defaultOn = defaultOn
      self.critical = critical
      self.commercial = commercial
      self.consentCategory = consentCategory
    }
  }

  public struct Texts: Codable, Sendable, Hashable {
    public var locale: String
    public var title: String
    public var detail: String?
    public init(locale: String, title: String, detail: String? = nil) {
      self.locale = locale
      self.title = title
      self.detail = detail
    }
  }
}
