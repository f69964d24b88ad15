// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
public import JSONRPC
internal import RPC
public import SQLStore

/// What a decision does to its subject: writes, audit records, or nothing.
public struct Change: Sendable {
  /// The subject's head with this write counted: `head.seq` is the revision the result shows.
  public let head: Head
  /// The heads of all subjects of this write.
  public let heads: Heads
  /// When the write happens, for every record and column of it.
  public let now: Timestamp
  /// What subscribers beyond audit-service need to act, in the main subject's event.
  public var payload: JSONValue?

  let subject: Subject
  private(set) var writes = SQLWrites()
  /// Of each subject, in the order of `heads`.
  private(set) var records: [[DecidedRecord]]
  private(set) var isUnchanged = false
  /// JSON of each effect, in order.
  private(set) var effects: [RawJSON] = []
  private let caller: Principal

  init(subject: Subject, heads: Heads, now: Timestamp, caller: Principal) {
    self.subject = subject
    self.heads = heads
    self.now = now
    self.caller = caller
    head = heads[subject]!
    records = Array(repeating: [], count: heads.count)
  }

  /// Runs `sql` when the decision is made, in the same transaction.
  public mutating func write(_ sql: StaticString, _ parameters: SQLValue...) {
    writes.add(SQLStatement(sql, parameters: parameters))
  }

  public mutating func write(_ statement: SQLStatement) { writes.add(statement) }

  /// As `SQLWrites.add(_:check:)`.
  public mutating func write(_ statement: SQLStatement, check: @escaping @Sendable (SQLRows) throws -> Void) {
    writes.add(statement, check: check)
  }

  /// Does what `effect` says to the service's own tables, and keeps it with the event, so that a store that was restored
  /// from a backup can be given it again. Everything that a service writes for its subjects goes this way.
  public mutating func apply(_ effect: some StoreEffect) throws {
    for statement in try effect.statements(at: EventPlace(subject: subject, head: head)) { writes.add(statement) }
    try keep(effect)
  }

  /// Keeps an effect whose statements are written by other means.
  public mutating func keep(_ effect: some StoreEffect) throws { effects.append(RawJSON(try JSON.encode(effect))) }

  /// Adds an entry to the audit trail.
  /// - Parameters:
  ///   - facts: nothing personal.
  ///   - personal: `accountId`, `deviceId` and `actor` are added from subject and caller.
  ///   - other: the subject it is about, when not the main one; must be among the write's subjects.
  /// - Returns: the entry's id.
  @discardableResult
  public mutating func record(
    _ kind: String, facts: [String: JSONValue], personal: [String: JSONValue] = [:], on other: Subject? = nil
  ) -> String {
    record(kind, AuditMembers(facts: facts, personal: personal), on: other) { personal[$0] != nil }
  }

  /// The same with details that are no dictionaries, and do not say who and whom.
  @discardableResult
  public mutating func record(_ kind: String, _ details: any AuditDetails) -> String {
    record(kind, details, on: nil) { _ in false }
  }

  /// - Parameter isSaid: whether the details have a personal member of that name.
  private mutating func record(
    _ kind: String, _ details: any AuditDetails, on other: Subject?, isSaid: (String) -> Bool
  ) -> String {
    let about = other ?? subject
    guard let index = heads.index(of: about) else {
      preconditionFailure("a record about a subject that is not part of the write")
    }
    let entryId = Identifier.next(now)
    records[index].append(
      DecidedRecord(
        entryId: entryId, kind: kind, timestamp: now, details: details, actor: isSaid("actor") ? nil : caller.actor,
        accountId: isSaid("accountId") ? nil : about.accountId,
        deviceId: isSaid("deviceId") ? nil : about.deviceId ?? caller.deviceId))
    return entryId
  }

  /// Nothing changes after all: all of this write is rolled back, no `seq` is used and no record left. The decision's
  /// result is returned all the same.
  /// - Returns: the revision that stands.
  @discardableResult
  public mutating func leaveUnchanged() -> Int64 {
    isUnchanged = true
    return head.seq - 1
  }
}
