// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public struct PermissionCatalogParams: Codable, Sendable {
  /// BCP 47; without it the request's locale.
  public var locale: String?
  public init(locale: String? = nil) { self.locale = locale }
}

/// The permissions an app uses, in the order its screen lists them, in one language.
public struct PermissionCatalogResult: Codable, Sendable {
  /// Of the app's catalog; 0 for the one that is built in.
  public var revision: Int64
  public var kinds: [Kind]
  /// Of the publishing; left out when it changed nothing and when read.
  public var entryId: String?
  public init(revision: Int64, kinds: [Kind], entryId: String? = nil) {
    self.revision = revision
    self.kinds = kinds
    self.entryId = entryId
  }

  public struct Kind: Codable, Sendable {
    public var kind: PermissionKind
    public var name: String
    /// An SF Symbol's name.
    public var symbol: String
    public var reason: String?
    /// What "Limited" means for this kind; left out where the systems know no such thing.
    public var limited: String?
    /// Whether the system shows its prompt a single time.
    public var promptOnce: Bool
    /// With `{appName}` where the app's name belongs.
    public var primer: PrimerContent
    public init(
      kind: PermissionKind, name: String, symbol: String, reason: String?, limited: String?, promptOnce: Bool,
      primer: PrimerContent
    ) {
      self.kind = kind
      self.name = name
      self.symbol = symbol
      self.reason = reason
      self.limited = limited
      self.promptOnce = promptOnce
      self.primer = primer
    }
  }
}

/// An app's own catalog, which replaces the one before: the kinds listed are shown, in this order.
public struct PermissionPublishCatalogParams: Codable, Sendable {
  public var kinds: [Kind]
  public init(kinds: [Kind]) { self.kinds = kinds }

  public struct Kind: Codable, Sendable, Hashable {
    public var kind: PermissionKind
    /// Without it the built-in symbol.
    public var symbol: String?
    /// Without it true.
    public var promptOnce: Bool?
    /// One for each language; the first serves where none fits. Without it the built-in texts.
    public var texts: [Texts]?
    public init(kind: PermissionKind, symbol: String? = nil, promptOnce: Bool? = nil, texts: [Texts]? = nil) {
      self.kind = kind
      self.symbol = symbol
      self.promptOnce = promptOnce
      self.texts = texts
    }
  }

  /// What is left out is taken from the built-in texts.
  public struct Texts: Codable, Sendable, Hashable {
    public var locale: String
    public var name: String?
    public var reason: String?
    public var limited: String?
    public var primer: PrimerContent?
    public init(
      locale: String, name: String? = nil, reason: String? = nil, limited: String? = nil, primer: PrimerContent? = nil
    ) {
      self.locale = locale
      self.name = name
      self.reason = reason
      self.limited = limited
      self.primer = primer
    }
  }
}
