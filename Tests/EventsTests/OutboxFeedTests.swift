// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import RPC
import SQLStore
import StoreTesting
import Testing
import Threading

@testable import Events

/// What a process's writes hand to its relays, so that these need not read it back.
@Suite(.timeLimit(.minutes(5))) struct OutboxFeedTests {
  private static func entry(_ position: Int64, app: String = "app", for subscriber: String = "audit", bytes: Int = 1)
    -> OutboxFeed.Entry
  {
    let event = String(repeating: "e", count: bytes)
    return OutboxFeed.Entry(
      subscriber: subscriber, row: Outbox.Row(app: app, position: position, subject: "a:1", event: event))
  }

  @Test func aReaderBeginsInTheStore() {
    let feed = OutboxFeed()
    let reader = feed.open(for: "audit")
    feed.add([Self.entry(1)])
    #expect(feed.take(reader) == nil)
    feed.restart(reader)
    #expect(feed.take(reader)?.isEmpty == true)
  }

  @Test func eachReaderGetsEverythingForItsSubscriberInOrder() {
    let feed = OutboxFeed()
    let readers = [feed.open(for: "audit"), feed.open(for: "audit"), feed.open(for: "prefs")]
    for reader in readers { feed.restart(reader) }
    feed.add([Self.entry(3), Self.entry(3, for: "prefs")])
    feed.add([Self.entry(2), Self.entry(9, app: "aaa")])
    for reader in readers[..<2] { #expect(feed.take(reader)?.map(\.position) == [9, 2, 3]) }
    #expect(feed.take(readers[2])?.map(\.position) == [3])
    #expect(feed.take(readers[2])?.isEmpty == true)
  }

  @Test func aReaderThatMissedSomethingIsTold() {
    let feed = OutboxFeed()
    let (one, other) = (feed.open(for: "audit"), feed.open(for: "audit"))
    for reader in [one, other] { feed.restart(reader) }
    feed.skip(one)
    feed.add([Self.entry(1)])
    #expect(feed.take(one) == nil)
    #expect(feed.take(other)?.count == 1)
    feed.skip()
    #expect(feed.take(other) == nil)
  }

  @Test func whatNobodyTakesIsNotKeptForEver() {
    let feed = OutboxFeed()
    let reader = feed.open(for: "audit")
    feed.restart(reader)
    feed.add([Self.entry(1, bytes: OutboxFeed.mostBytes)])
    #expect(feed.take(reader)?.count == 1)
    feed.add([Self.entry(2, bytes: OutboxFeed.mostBytes)])
    feed.add([Self.entry(3)])
    #expect(feed.take(reader) == nil)
  }

  /// A row that came in unseen, between rows that are acknowledged, stays until it is delivered.
  @Test func aRowOfUnknownOutcomeIsDeliveredAndNotRemovedWithItsNeighbours() async throws {
    let pair = try await RelayTests.Pair(.postgresql)
    for account in [2, 1, 3] { try await pair.write(account) }
    let stranger = try await pair.source.store.write([
      SQLStatement("SELECT app, subscriber, position, event FROM outbox WHERE subject = 'a:1'")
    ]) { rows, writes in
      let row = rows[0][0]
      // As if its COMMIT had been answered to nobody: taken before, and there after the next delivery.
      writes.add("DELETE FROM outbox WHERE subject = 'a:1'")
      return (row.text(0), row.text(1), row.int(2), row.text(3))
    }
    pair.ledger.missRows()
    let isThere = Lock(false)
    let relay = Relay(pair.ledger) { _, batch in
      let result = try await pair.take(batch)
      if !isThere.withLock({ isThere in
        defer { isThere = true }
        return isThere
      }) {
        _ = try await pair.source.store.write([]) { _, writes in
          writes.add(
            "INSERT INTO outbox (app, subscriber, position, subject, seq, event) VALUES ($1, $2, $3, $4, 1, $5)",
            .text(stranger.0), .text(stranger.1), .integer(stranger.2), .text("a:1"), .text(stranger.3))
        }
      }
      return result
    }
    try await RelayTests.run([relay]) { try await pair.waiting() == 0 && isThere.withLock { $0 } }
    #expect(try await InboxTests.taken(pair.subscriber).sorted() == ["a:1#1", "a:2#1", "a:3#1"])
  }
}
