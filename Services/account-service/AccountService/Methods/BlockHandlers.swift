// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import ServiceKit
internal import SettingsContracts

/// `account.block`, `unblock`, `blocked`.
struct BlockHandlers: Sendable {
  /// Accounts that one person may block.
  static let limit = 10_000
  static let pageLimit = 200

  let ledger: Ledger

  func block(_ params: AccountBlockParams, _ context: CallContext) async throws -> BlockedAccounts {
    let subject = Subject.account(context.app, try context.accountId(params.accountId))
    try CallContext.check(params.blockedId, "blockedId")
    guard params.blockedId != subject.accountId else {
      throw RPCError.invalidParams("blockedId", "must be another account than the person's own")
    }
    return try await ledger.write(
      subject, context, method: AccountMethods.block.name, params: params, reads: reads(subject, params.blockedId)
    ) { rows, change in
      guard !rows[0].isEmpty else { throw AccountHandlers.notFound }
      var list = Self.list(rows, revision: change.head.seq)
      guard rows[3].isEmpty else {
        list.revision = change.leaveUnchanged()
        return list
      }
      guard list.count < Self.limit else {
        throw RPCError.resourceExhausted("\(Self.limit) accounts are blocked already", reason: "blockedLimit")
      }
      let item = BlockedAccount(blockedId: params.blockedId, blockedAt: change.now)
      try change.apply(AccountEffect.blocked(item: item))
      list.entryId = change.record(
        "account.blocked", facts: [:], personal: ["blockedId": .string(params.blockedId)])
      list.count += 1
      list.items.insert(item, at: 0)
      list.cut(to: Paging.standardLimit)
      return list
    }
  }

  func unblock(_ params: AccountBlockParams, _ context: CallContext) async throws -> BlockedAccounts {
    let subject = Subject.account(context.app, try context.accountId(params.accountId))
    try CallContext.check(params.blockedId, "blockedId")
    return try await ledger.write(
      subject, context, method: AccountMethods.unblock.name, params: params, reads: reads(subject, params.blockedId)
    ) { rows, change in
      guard !rows[0].isEmpty else { throw AccountHandlers.notFound }
      var list = Self.list(rows, revision: change.head.seq)
      guard !rows[3].isEmpty else {
        list.revision = change.leaveUnchanged()
        return list
      }
      try change.apply(AccountEffect.unblocked(blockedId: params.blockedId))
      list.entryId = change.record(
        "account.unblocked", facts: [:], personal: ["blockedId": .string(params.blockedId)])
      list.count -= 1
      list.items.removeAll { $0.blockedId == params.blockedId }
      list.cut(to: Paging.standardLimit)
      return list
    }
  }

  func blocked(_ params: AccountBlockedParams, _ context: CallContext) async throws -> BlockedAccounts {
    let subject = Subject.account(context.app, try context.accountId(params.accountId))
    let limit = try Paging.limit(params.limit, atMost: Self.pageLimit)
    let last = try Self.place(params.cursor)
    let rows = try await ledger.read([
      ProfileRows.selectWithRevision(subject), BlockedRows.count(subject),
      BlockedRows.page(subject, after: last, limit: limit),
    ])
    guard let account = rows[0].first else { throw AccountHandlers.notFound }
    var list = Self.list(rows, revision: account.int(8))
    list.cut(to: limit)
    return list
  }

  /// Account, count, the first page and one more item, and whether `blockedId` is blocked.
  private func reads(_ subject: Subject, _ blockedId: String) -> [SQLStatement] {
    [
      ProfileRows.select(subject), BlockedRows.count(subject),
      BlockedRows.page(subject, after: nil, limit: Paging.standardLimit + 1), BlockedRows.find(subject, blockedId),
    ]
  }

  private static func list(_ rows: [SQLRows], revision: Int64) -> BlockedAccounts {
    BlockedAccounts(items: rows[2].map(BlockedRows.item), count: Int(rows[1][0].int(0)), revision: revision)
  }

  private static func place(_ cursor: String?) throws(RPCError) -> BlockedAccount? {
    guard let place = try Paging.place(cursor) else { return nil }
    let parts = place.split(separator: " ")
    guard parts.count == 2, let time = Int64(parts[0]) else {
      throw .invalidParams("cursor", "must be the nextCursor of an earlier page")
    }
    return BlockedAccount(blockedId: String(parts[1]), blockedAt: Timestamp(milliseconds: time))
  }
}

extension BlockedAccounts {
  /// Keeps `limit` items and says where the next page begins, if there is one.
  fileprivate mutating func cut(to limit: Int) {
    guard items.count > limit else { return }
    items.removeLast(items.count - limit)
    if let last = items.last { nextCursor = Paging.cursor("\(last.blockedAt.milliseconds) \(last.blockedId)") }
  }
}
