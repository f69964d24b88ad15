// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// How the app looks.
public enum Appearance: String, WireWord {
  case system, light, dark
}

public struct Avatar: Codable, Sendable, Hashable {
  public enum Kind: String, WireWord {
    /// The initials on a circle.
    case initials
    /// The picture at `url`.
    case image
  }
  public var kind: Kind
  /// Absolute, unguessable, new with each upload.
  public var url: String?

  public init(kind: Kind, url: String? = nil) {
    self.kind = kind
    self.url = url
  }
}

/// An account as its screen shows it.
public struct Account: Codable, Sendable, Hashable {
  public var accountId: String
  public var name: String
  public var email: String
  /// The first letters of the first and the last word of the name.
  public var initials: String
  /// What the app calls the person's plan, such as `Plus`.
  public var plan: String?
  public var avatar: Avatar
  public var appearance: Appearance
  /// BCP 47.
  public var locale: String
  /// A name of the IANA time zone database.
  public var timeZone: String
  public var createdAt: Timestamp
  public var revision: Int64
  /// The audit record of the write that this answers. Absent when there was nothing to change.
  public var entryId: String?

  public init(
    accountId: String, name: String, email: String, initials: String, plan: String? = nil, avatar: Avatar,
    appearance: Appearance, locale: String, timeZone: String, createdAt: Timestamp, revision: Int64,
    entryId: String? = nil
  ) {
    self.accountId = accountId
    self.name = name
    self.email = email
    self.initials = initials
    self.plan = plan
    self.avatar = avatar
    self.appearance = appearance
    self.locale = locale
    self.timeZone = timeZone
    self.createdAt = createdAt
    self.revision = revision
    self.entryId = entryId
  }
}
