// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// Params of `account.block` and `account.unblock`.
public struct AccountBlockParams: Codable, Sendable, Hashable {
  public var accountId: String?
  /// An account id; not the person's own.
  public var blockedId: String

  public init(accountId: String? = nil, blockedId: String) {
    self.accountId = accountId
    self.blockedId = blockedId
  }
}

public struct AccountBlockedParams: Codable, Sendable, Hashable {
  public var accountId: String?
  /// 1 to 200; 50 when left out.
  public var limit: Int?
  public var cursor: String?

  public init(accountId: String? = nil, limit: Int? = nil, cursor: String? = nil) {
    self.accountId = accountId
    self.limit = limit
    self.cursor = cursor
  }
}

public struct BlockedAccount: Codable, Sendable, Hashable {
  public var blockedId: String
  public var blockedAt: Timestamp

  public init(blockedId: String, blockedAt: Timestamp) {
    self.blockedId = blockedId
    self.blockedAt = blockedAt
  }
}

public struct BlockedAccounts: Codable, Sendable, Hashable {
  public var items: [BlockedAccount]
  /// Of all, not of this page.
  public var count: Int
  public var nextCursor: String?
  public var revision: Int64
  /// The audit record of the write that this answers. Absent when there was nothing to change.
  public var entryId: String?

  public init(
    items: [BlockedAccount], count: Int, nextCursor: String? = nil, revision: Int64, entryId: String? = nil
  ) {
    self.items = items
    self.count = count
    self.nextCursor = nextCursor
    self.revision = revision
    self.entryId = entryId
  }
}
