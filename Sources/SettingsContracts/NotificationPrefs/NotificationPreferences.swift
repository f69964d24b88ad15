// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

public struct NotificationGetParams: Codable, Sendable {
  public var accountId: String?
  public var deviceId: String?
  public var locale: String?
  public init(accountId: String? = nil, deviceId: String? = nil, locale: String? = nil) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.locale = locale
  }
}

/// A person's notification preferences, as their screen shows them on this device.
public struct NotificationPreferencesResult: Codable, Sendable {
  /// Of the person's record; 0 while everything is by default.
  public var revision: Int64
  public var categories: [Category]
  public var quietHours: QuietHours
  public var digest: NotificationDigest
  public var authorization: NotificationAuthorization
  public var status: Status
  public var entryId: String?
  public init(
    revision: Int64, categories: [Category], quietHours: QuietHours, digest: NotificationDigest,
    authorization: NotificationAuthorization, entryId: String? = nil
  ) {
    self.revision = revision
    self.categories = categories
    self.quietHours = quietHours
    self.digest = digest
    self.authorization = authorization
    status = Status(title: authorization.title, action: authorization.action)
    self.entryId = entryId
  }

  public struct Category: Codable, Sendable {
    public var id: String
    public var title: String
    public var detail: String?
    public var symbol: String?
    /// The channels offered, in display order.
    public var channels: [NotificationChannel]
    /// Those of them that are on, in the same order.
    public var on: [NotificationChannel]
    public var isOn: Bool
    /// True for what cannot be turned off.
    public var locked: Bool?
    public init(
      id: String, title: String, detail: String?, symbol: String?, channels: [NotificationChannel],
      on: [NotificationChannel], locked: Bool?
    ) {
      self.id = id
      self.title = title
      self.detail = detail
      self.symbol = symbol
      self.channels = channels
      self.on = on
      isOn = !on.isEmpty
      self.locked = locked
    }
  }

  public struct Status: Codable, Sendable {
    public var title: String
    public var action: NotificationStatusAction?
    public init(title: String, action: NotificationStatusAction?) {
      self.title = title
      self.action = action
    }
  }
}

public struct NotificationSaveParams: Codable, Sendable {
  public var accountId: String?
  public var preferences: Preferences
  /// The revision the screen started from; a newer one in the store refuses the save.
  public var revision: Int64?
  public init(accountId: String? = nil, preferences: Preferences, revision: Int64? = nil) {
    self.accountId = accountId
    self.preferences = preferences
    self.revision = revision
  }

  /// What `notifications.get` gave, changed. Members that are only shown may be sent back and are not looked at.
  public struct Preferences: Codable, Sendable {
    /// A category of the catalog that is not among them stays as it is.
    public var categories: [Category]
    public var quietHours: QuietHours
    public var digest: NotificationDigest
    public var revision: JSONValue?
    public var authorization: JSONValue?
    public var status: JSONValue?
    public var entryId: JSONValue?
    public init(categories: [Category], quietHours: QuietHours, digest: NotificationDigest) {
      self.categories = categories
      self.quietHours = quietHours
      self.digest = digest
    }
  }

  public struct Category: Codable, Sendable {
    public var id: String
    /// The channels that are on.
    public var on: [NotificationChannel]
    public var title: JSONValue?
    public var detail: JSONValue?
    public var symbol: JSONValue?
    public var channels: JSONValue?
    public var isOn: JSONValue?
    public var locked: JSONValue?
    public init(id: String, on: [NotificationChannel]) {
      self.id = id
      self.on = on
    }
  }
}

/// Single changes, put into what is there.
public struct NotificationUpdateParams: Codable, Sendable {
  public var accountId: String?
  /// By category, by channel: on or off.
  public var set: [String: [String: Bool]]?
  /// By category: off remembers the channels; on brings them back, or turns on the first one offered.
  public var toggle: [String: Bool]?
  public var quietHours: QuietHoursChange?
  public var digest: NotificationDigest?
  public var revision: Int64?
  public init(
    accountId: String? = nil, set: [String: [String: Bool]]? = nil, toggle: [String: Bool]? = nil,
    quietHours: QuietHoursChange? = nil, digest: NotificationDigest? = nil, revision: Int64? = nil
  ) {
    self.accountId = accountId
    self.set = set
    self.toggle = toggle
    self.quietHours = quietHours
    self.digest = digest
    self.revision = revision
  }
}
