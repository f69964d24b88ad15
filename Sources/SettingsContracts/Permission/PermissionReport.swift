// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// What the operating system says now, in its own words.
public struct PermissionReportParams: Codable, Sendable {
  public var accountId: String?
  public var deviceId: String?
  public var permissions: [Item]
  public var platform: Platform
  public var osVersion: String?
  public init(
    accountId: String? = nil, deviceId: String? = nil, permissions: [Item], platform: Platform,
    osVersion: String? = nil
  ) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.permissions = permissions
    self.platform = platform
    self.osVersion = osVersion
  }

  public struct Item: Codable, Sendable {
    public var kind: PermissionKind
    /// The platform's word, such as `authorized`, or one of `PermissionStatus`.
    public var status: String
    /// More of what the system said, such as `reducedAccuracy`.
    public var detail: String?
    /// When the app read it; without it, and when it lies ahead, the moment of receipt.
    public var at: Timestamp?
    public init(kind: PermissionKind, status: String, detail: String? = nil, at: Timestamp? = nil) {
      self.kind = kind
      self.status = status
      self.detail = detail
      self.at = at
    }
  }
}

public struct PermissionListParams: Codable, Sendable {
  /// Without a device: the account's device that reported last.
  public var accountId: String?
  public var deviceId: String?
  public var locale: String?
  public init(accountId: String? = nil, deviceId: String? = nil, locale: String? = nil) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.locale = locale
  }
}

/// A device's permissions, in the catalog's order.
public struct PermissionListResult: Codable, Sendable {
  public var items: [PermissionItem]
  /// Of the device's record; 0 when nothing was ever reported.
  public var revision: Int64
  public var deviceId: String?
  /// Kinds whose report was older than what is known, and so changed nothing.
  public var outdated: [PermissionKind]?
  public var entryId: String?
  public init(
    items: [PermissionItem], revision: Int64, deviceId: String?, outdated: [PermissionKind]? = nil,
    entryId: String? = nil
  ) {
    self.items = items
    self.revision = revision
    self.deviceId = deviceId
    self.outdated = outdated
    self.entryId = entryId
  }
}

public struct PermissionItem: Codable, Sendable {
  public var kind: PermissionKind
  public var name: String
  public var symbol: String
  public var reason: String?
  public var status: PermissionStatus
  public var chip: String
  public var next: PermissionNextStep
  /// What "Limited" means here; only while it is.
  public var limited: String?
  public var detail: String?
  /// Left out until the system was first heard.
  public var changedAt: Timestamp?
  public init(
    kind: PermissionKind, name: String, symbol: String, reason: String?, status: PermissionStatus,
    limited: String? = nil, detail: String? = nil, changedAt: Timestamp? = nil
  ) {
    self.kind = kind
    self.name = name
    self.symbol = symbol
    self.reason = reason
    self.status = status
    chip = status.chip
    next = status.next
    self.limited = limited
    self.detail = detail
    self.changedAt = changedAt
  }
}
