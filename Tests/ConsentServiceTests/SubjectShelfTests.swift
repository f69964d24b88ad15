// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import JSONRPC
import RPC
import SQLStore
import SettingsContracts
import StoreTesting
import Testing

@testable import ConsentService

@Suite("Subjects kept in memory")
struct SubjectShelfTests {
  private static let maya = Addressee.of(.account("default", "maya"))

  @Test("a check is answered from memory until something of it is written")
  func reads() async throws {
    let service = try await RunningConsent()
    let store = service.test.store
    // Where others write too every check has to read.
    let readsAgain = store.stamps == nil ? 1 : 0
    _ = try await service.decide(["analytics": true])
    _ = try await service.check("analytics")
    var before = store.statistics.reads
    _ = try await service.check("analytics")
    #expect(store.statistics.reads == before + readsAgain)
    _ = try await service.decide(["analytics": false])
    before = store.statistics.reads
    #expect(try await !service.check("analytics").allowed)
    #expect(store.statistics.reads > before)
  }

  @Test("what was read before a write is not taken for what holds after it")
  func late() async throws {
    let service = try await RunningConsent()
    let ledger = try await service.test.ledger(source: "consent-service", clock: service.clock)
    guard ledger.store.stamps != nil else { return }
    let shelf = SubjectShelf(ledger)
    let stamp = try #require(shelf.stamp(of: Self.maya))
    let old = KnownSubject(.empty, history(), .builtIn)
    _ = try await service.decide(["analytics": true])
    shelf.keep(old, of: Self.maya, stamp: stamp)
    #expect(shelf.find(Self.maya) == nil)
  }

  @Test("a subject with the same key is not shown another's record")
  func collision() async throws {
    let service = try await RunningConsent()
    let ledger = try await service.test.ledger(source: "consent-service", clock: service.clock)
    guard ledger.store.stamps != nil else { return }
    let shelf = SubjectShelf(ledger) { _ in 1 }
    let known = KnownSubject(.empty, history(), .builtIn)
    shelf.keep(known, of: Self.maya, stamp: try #require(shelf.stamp(of: Self.maya)))
    #expect(shelf.find(Self.maya) === known)
    #expect(shelf.find(.of(.account("default", "noah"))) == nil)
    #expect(shelf.find(.of(.account("other", "maya"))) == nil)
  }

  @Test("no more are kept than there is room for")
  func bound() async throws {
    let service = try await RunningConsent()
    let ledger = try await service.test.ledger(source: "consent-service", clock: service.clock)
    guard ledger.store.stamps != nil else { return }
    let shelf = SubjectShelf(ledger, capacity: 8)
    let known = KnownSubject(.empty, history(), .builtIn)
    let people = (0..<20).map { Addressee.of(.account("default", "p\($0)")) }
    for person in people { shelf.keep(known, of: person, stamp: try #require(shelf.stamp(of: person))) }
    let kept = people.filter { shelf.find($0) != nil }
    #expect((4...8).contains(kept.count))
    #expect(kept.contains { $0.subject == people[19].subject })
  }
}

extension Addressee {
  fileprivate static func of(_ subject: Subject) -> Addressee {
    Addressee(subject: subject, deviceId: nil, isSelf: false)
  }
}

extension SubjectView {
  /// Of a subject that nothing is known of.
  fileprivate static let empty = SubjectView(
    record: ConsentRecord(), revision: 0, deviceRecord: nil, policyRevision: 0, isDeleted: false)
}
