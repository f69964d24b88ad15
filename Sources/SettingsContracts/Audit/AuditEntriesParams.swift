// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// Which entries of the audit trail, and how many. What is left out does not restrict.
public struct AuditEntriesParams: Codable, Sendable, Hashable {
  public var accountId: String?
  public var deviceId: String?
  /// Such as `consent.decided`.
  public var kind: String?
  /// A consent or notification category.
  public var category: String?
  public var status: String?
  public var regulation: String?
  public var policyVersion: Int?
  /// As entries show it: `person`, `device`, `key:<name>`, `service:<name>`.
  public var actor: String?
  /// Not before this moment.
  public var from: Timestamp?
  /// Before this moment.
  public var to: Timestamp?
  /// Wait until the entry of this id is in.
  public var after: String?
  /// 1 to 200; 50 when left out.
  public var limit: Int?
  /// `nextCursor` of the page before.
  public var cursor: String?

  public init(
    accountId: String? = nil, deviceId: String? = nil, kind: String? = nil, category: String? = nil,
    status: String? = nil, regulation: String? = nil, policyVersion: Int? = nil, actor: String? = nil,
    from: Timestamp? = nil, to: Timestamp? = nil, after: String? = nil, limit: Int? = nil, cursor: String? = nil
  ) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.kind = kind
    self.category = category
    self.status = status
    self.regulation = regulation
    self.policyVersion = policyVersion
    self.actor = actor
    self.from = from
    self.to = to
    self.after = after
    self.limit = limit
    self.cursor = cursor
  }
}
