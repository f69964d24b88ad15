// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import SQLStore
import SQLite
import Testing

@testable import SQLStoreSQLite

/// Group commit where SQLite itself fails in the middle.
@Suite struct GroupTests {
  struct Refused: Error {}

  /// Remembers what a write was told, and how often it decided.
  private final class Probe: WriteJob, @unchecked Sendable {
    var decisions = 0
    var outcome: Result<Int, any Error>?
    var told: [Result<Int, any Error>] = []
    private let body: (Int, inout SQLWrites) throws -> Void

    init(_ body: @escaping (_ attempt: Int, inout SQLWrites) throws -> Void) {
      self.body = body
      super.init([SQLStatement("SELECT count(*) FROM item")])
    }
    override func decide(_ rows: [SQLRows], _ writes: inout SQLWrites) throws {
      decisions += 1
      try body(decisions, &writes)
      outcome = .success(Int(rows[0][0].int(0)))
    }
    override func fail(_ error: any Error) { outcome = .failure(error) }
    override func finish() { told.append(outcome!) }

    var seen: Int? { try? told.first?.get() }
    var error: (any Error)? { if case .failure(let error)? = told.first { error } else { nil } }
  }

  private static func insert(_ bytes: Int = 1) -> SQLStatement {
    SQLStatement("INSERT INTO item (body) VALUES ($1)", .blob(Array(repeating: 1, count: bytes)))
  }
  private static func writer(_ bytes: Int = 1) -> Probe { Probe { _, writes in writes.add(insert(bytes)) } }
  private static func refuser() -> Probe {
    Probe { _, writes in
      writes.add(insert())
      throw Refused()
    }
  }

  private func connection() throws -> Connection {
    let connection = try Connection(path: ":memory:", .create)
    try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT")
    return connection
  }
  private func items(_ connection: Connection) throws -> Int {
    Int(try connection.rows(SQLStatement("SELECT count(*) FROM item"))[0].int(0))
  }

  @Test func membersSeeEachOtherAndAreToldTogether() throws {
    let connection = try connection()
    var group = Group(connection)
    let members = [Self.writer(), Self.writer(), Self.writer()]
    for member in members { group.run(member) }
    #expect(members.allSatisfy { $0.told.isEmpty })
    let outcome = group.commit()
    #expect(members.allSatisfy { $0.told.isEmpty })
    group.tellAll()
    #expect(outcome.commits == 1)
    #expect(outcome.writes == 3)
    #expect(members.map(\.seen) == [0, 1, 2])
    #expect(group.count == 0)
    #expect(!connection.isInTransaction)
  }

  @Test(arguments: 0..<3) func refusalsLeaveTheOthersWhereverTheyStand(place: Int) throws {
    let connection = try connection()
    var group = Group(connection)
    var members = [Self.writer(), Self.writer()]
    members.insert(Self.refuser(), at: place)
    for member in members { group.run(member) }
    let outcome = group.commit()
    group.tellAll()
    #expect(outcome.writes == 2)
    #expect(members[place].error is Refused)
    #expect(try items(connection) == 2)
    #expect(members.allSatisfy { $0.decisions == 1 })
  }

  @Test(arguments: 0..<3) func aRefusalAfterLongPeaceLeavesTheOthersToo(place: Int) throws {
    let connection = try connection()
    var group = Group(connection)
    for _ in 0..<100 {
      group.run(Self.writer())
      group.run(Self.writer())
      _ = group.commit()
      group.tellAll()
    }
    var members = [Self.writer(), Self.writer()]
    members.insert(Self.refuser(), at: place)
    for member in members { group.run(member) }
    let outcome = group.commit()
    group.tellAll()
    #expect(outcome.commits == 1)
    #expect(outcome.writes == 2)
    #expect(members[place].error is Refused)
    #expect(members.compactMap(\.seen) == [200, 201])
    #expect(members.allSatisfy { $0.told.count == 1 })
    #expect(try items(connection) == 202)
    // The next refusal is expected and lets nobody run again.
    let others = [Self.writer(), Self.writer()]
    for member in [others[0], Self.refuser(), others[1]] { group.run(member) }
    #expect(group.commit().writes == 2)
    #expect(others.allSatisfy { $0.decisions == 1 })
  }

  @Test func aGroupOfRefusalsCommitsNothing() throws {
    let connection = try connection()
    var group = Group(connection)
    let members = [Self.refuser(), Self.refuser()]
    for member in members { group.run(member) }
    let outcome = group.commit()
    group.tellAll()
    #expect(outcome.commits == 0)
    #expect(members.allSatisfy { $0.error is Refused })
    #expect(!connection.isInTransaction)
    #expect(try items(connection) == 0)
  }

  @Test func whenTheTransactionIsLostEveryMemberRunsAgainAlone() throws {
    let connection = try connection()
    var group = Group(connection)
    let before = Self.writer()
    // Decided on what is lost: must decide again too.
    let refused = Probe { attempt, _ in if attempt == 1 { throw Refused() } }
    // SQLite ends the whole transaction on this error, savepoints included.
    let breaking = Probe { attempt, writes in
      writes.add(Self.insert())
      if attempt == 1 { writes.add("INSERT OR ROLLBACK INTO item (id, body) VALUES (1, $1)", .blob([2])) }
    }
    let after = Self.writer()
    for member in [before, refused, breaking, after] { group.run(member) }
    let outcome = group.commit()
    group.tellAll()
    #expect(outcome.failure == nil)
    #expect(outcome.writes == 4)
    #expect(outcome.commits == 4)
    #expect([before, refused, breaking, after].map(\.seen) == [0, 1, 1, 2])
    #expect(try items(connection) == 3)
    #expect(before.decisions == 2)
    #expect(before.told.count == 1)
  }

  @Test func aFullDiskRefusesWhoeverNeedsTheRoomAndNobodyElse() throws {
    let connection = try connection()
    try connection.execute("PRAGMA max_page_count = 12")
    var group = Group(connection)
    let members = [Self.writer(), Self.writer(1 << 20), Self.writer(), Self.writer(1 << 20), Self.writer()]
    for member in members { group.run(member) }
    let outcome = group.commit()
    group.tellAll()
    #expect(outcome.failure == nil)
    #expect(outcome.writes == 3)
    for (member, fits) in zip(members, [true, false, true, false, true]) {
      #expect((member.error == nil) == fits)
      if let error = member.error { #expect((error as? SQLStoreError)?.kind == .unavailable) }
    }
    #expect(try items(connection) == 3)
    #expect(!connection.isInTransaction)
    // And the store goes on.
    let next = Self.writer()
    group.run(next)
    #expect(group.commit().writes == 1)
  }

  @Test func whatEachMemberIsToldIsWhatTheStoreHolds() throws {
    let connection = try connection()
    try connection.execute("PRAGMA max_page_count = 400")
    var accepted = 0
    var dice = SystemRandomNumberGenerator()
    for _ in 0..<60 {
      var group = Group(connection)
      let members = (0..<20).map { _ in
        switch Int.random(in: 0..<4, using: &dice) {
        case 0: Self.refuser()
        case 1: Self.writer(60_000)
        default: Self.writer()
        }
      }
      for member in members { group.run(member) }
      let outcome = group.commit()
      group.tellAll()
      #expect(outcome.writes == members.count { $0.error == nil })
      accepted += outcome.writes
    }
    #expect(try items(connection) == accepted)
  }
}
