// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
@testable import RPCZeroMQ
import Testing
import Threading

/// One replica fails with hundreds of calls under way there, or all are slow.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FailoverTests {
  enum Failure: CaseIterable { case isKilled, isSilent }

  @Test(arguments: Failure.allCases)
  func `a replica that fails with hundreds of calls under way fails none of them`(_ failure: Failure) async throws {
    let fleet = try await Fleet(2)
    await fleet.warm()
    let held = Held(in: fleet)
    async let replies = fleet.callAll(0..<600)
    try await until { held.count(0) + held.count(1) >= 600 }
    #expect(held.count(0) > 200)
    if failure == .isKilled { await fleet.kill(0) } else { fleet.mute(0) }
    held.release(1)
    for (body, reply) in await replies { #expect(reply.text == body, "\(String(describing: reply.error))") }
    await fleet.stop()
  }

  @Test(arguments: Failure.allCases)
  func `callers who go on and on see no error of a replica that fails`(_ failure: Failure) async throws {
    let fleet = try await Fleet(2)
    await fleet.warm()
    let (answered, isOver) = (Count(), Count())
    fleet.answerLate(by: 20)
    await withTaskGroup(of: Void.self) { group in
      for caller in 0..<300 {
        group.addTask {
          while isOver.value == 0 {
            let reply = await fleet.client.call("\(caller)", isIdempotent: true)
            #expect(reply.text == "\(caller)", "\(String(describing: reply.error))")
            answered.add()
          }
        }
      }
      while answered.value < 300 { await Task.yield() }
      if failure == .isKilled { await fleet.kill(0) } else { fleet.mute(0) }
      let before = answered.value
      while answered.value < before + 600 { await Task.yield() }
      isOver.add()
    }
    await fleet.stop()
  }

  @Test func `the one of three that answers takes what the two silent ones had`() async throws {
    let fleet = try await Fleet(3)
    await fleet.warm()
    let held = Held(in: fleet)
    async let replies = fleet.callAll(0..<600)
    try await until { (0..<3).map(held.count).reduce(0, +) >= 600 }
    fleet.mute(0)
    fleet.mute(1)
    held.release(2)
    for (body, reply) in await replies { #expect(reply.text == body, "\(String(describing: reply.error))") }
    await fleet.stop()
  }

  /// All replicas are called, however often they fail, and an attempt takes 500 ms however slow they are.
  private static var stubborn: ClientPolicy {
    var policy = ClientPolicy()
    policy.retry.latencyFactor = 0
    policy.outliers.failuresInARow = .max
    return policy
  }

  @Test func `with all replicas slow, at most five attempts are made for four calls`()
    async throws
  {
    let fleet = try await Fleet(3, FailoverTests.stubborn)
    await fleet.warm()
    let before = fleet.counts.reduce(0, +)
    fleet.answerLate(by: 1_500)
    let made = 600
    await withTaskGroup(of: Void.self) { group in
      for caller in 0..<200 {
        group.addTask {
          // Callers come at different times, so replies do too: nobody is silent.
          try? await Task.sleep(for: .milliseconds(7 * caller))
          for _ in 0..<made / 200 {
            let reply = await fleet.client.call("\(caller)", isIdempotent: true)
            #expect(reply.text == "\(caller)", "\(String(describing: reply.error))")
          }
        }
      }
    }
    let sent = fleet.counts.reduce(0, +) - before
    // Each call took too long. One in ten is repeated, and twenty to begin with.
    #expect(sent > made)
    #expect(sent <= made * 5 / 4)
    await fleet.stop()
  }

  @Test func `with all replicas silent, hardly a call is sent again`() async throws {
    let fleet = try await Fleet(2, FailoverTests.stubborn)
    await fleet.warm()
    let before = fleet.counts.reduce(0, +)
    fleet.mute(0)
    fleet.mute(1)
    for (_, reply) in await fleet.callAll(0..<500, milliseconds: 1_500) {
      #expect(reply.error?.code == .deadlineExceeded)
    }
    let sent = fleet.counts.reduce(0, +) - before
    // None of them answers, so there is nowhere to go. The budget would allow twenty and a little.
    #expect(sent >= 500 && sent <= 500 + 25)
    await fleet.stop()
  }

  @Test func `a replica that is well again takes over what still waits at a silent one`() async throws {
    let fleet = try await Fleet(2)
    await fleet.warm()
    let held = Held(in: fleet)
    async let replies = fleet.callAll(0..<600)
    try await until { held.count(0) + held.count(1) >= 600 }
    // Both have been too slow for all of them, and were asked how they are since.
    fleet.mute(0)
    try await until { fleet.questions(0) > 0 && fleet.questions(1) > 0 }
    held.release(1)
    for (body, reply) in await replies { #expect(reply.text == body, "\(String(describing: reply.error))") }
    await fleet.stop()
  }

  @Test func `calls that wait for something are sent once, and count against no replica that answers`() async throws {
    var policy = ClientPolicy()
    policy.retry.latencyFactor = 0
    policy.retry.shortestAttempt = 2_000
    let fleet = try await Fleet(2, policy)
    await fleet.warm()
    let before = fleet.counts.reduce(0, +)
    let held = Held(in: fleet)
    async let replies = fleet.callAll(0..<100, milliseconds: 30_000, profile: MethodProfile(waits: true))
    try await until { held.count(0) + held.count(1) >= 100 }
    // All have taken longer than an attempt may when a replica has been asked so often.
    try await until { (0..<2).allSatisfy { fleet.questions($0) >= 3 } }
    #expect(fleet.counts.reduce(0, +) == before + 100)
    #expect(await fleet.rotation().count == 2)
    for index in 0..<2 { held.release(index) }
    for (body, reply) in await replies { #expect(reply.text == body, "\(String(describing: reply.error))") }
    await fleet.stop()
  }

  @Test func `calls that wait at a replica that falls silent are taken over`() async throws {
    var policy = ClientPolicy()
    policy.retry.latencyFactor = 0
    let fleet = try await Fleet(2, policy)
    await fleet.warm()
    let held = Held(in: fleet)
    async let replies = fleet.callAll(0..<100, profile: MethodProfile(waits: true))
    try await until { held.count(0) + held.count(1) >= 100 }
    #expect(held.count(0) > 0)
    fleet.mute(0)
    held.release(1)
    for (body, reply) in await replies { #expect(reply.text == body, "\(String(describing: reply.error))") }
    await fleet.stop()
  }

  @Test func `a call whose hedge is silent too goes to a third replica`() async throws {
    let fleet = try await Fleet(3, FailoverTests.stubborn)
    await fleet.warm()
    let profile = MethodProfile(isHedged: true)
    for _ in 0..<3_000 { profile.record(nanoseconds: 100_000) }
    // Whichever two get it first say nothing.
    let places = Lock<[[UInt8]: Set<Int>]>([:])
    fleet.onReceive = { _, index, received, _ in
      guard received.body.starts(with: text("read")) else { return false }
      return places.withLock {
        $0[received.body, default: []].insert(index)
        return $0[received.body]!.count < 3
      }
    }
    for number in 0..<6 {
      let reply = await fleet.client.call(
        "read\(number)", milliseconds: 8_000, isIdempotent: true, profile: profile)
      #expect(reply.text == "read\(number)", "\(String(describing: reply.error))")
    }
    let attempts = (0..<3).flatMap { fleet.seen(by: $0) }.filter { $0.body == text("read0") }
      .sorted { $0.metadata.attempt ?? 1 < $1.metadata.attempt ?? 1 }
    #expect(attempts.prefix(3).map { $0.metadata.attempt ?? 1 } == [1, 2, 3])
    // Each had an end of its own, long before the call's. Those that were not answered are taken back.
    for attempt in attempts { #expect(try #require(attempt.metadata.expiresAt) < attempt.receivedAt + 4_000) }
    let made = (0..<3).flatMap { fleet.seen(by: $0) }.filter { $0.body.starts(with: text("read")) }.count
    try await until { (0..<3).map(fleet.cancels).reduce(0, +) == made - 6 }
    await fleet.stop()
  }

  @Test func `hedged calls by the hundred find the one of three that answers`() async throws {
    let fleet = try await Fleet(3)
    await fleet.warm()
    let profile = MethodProfile(isHedged: true)
    for _ in 0..<3_000 { profile.record(nanoseconds: 100_000) }
    fleet.mute(0)
    fleet.mute(1)
    for (body, reply) in await fleet.callAll(0..<300, profile: profile) {
      #expect(reply.text == body, "\(String(describing: reply.error))")
    }
    await fleet.stop()
  }
}

/// The replies that a fleet's replicas have ready and have not sent.
private final class Held: Sendable {
  private let replies = Lock<[Int: [@Sendable () -> Void]]>([:])
  private let released = Lock<Set<Int>>([])

  /// Holds all but those to `rpc.` from now on.
  init(in fleet: Fleet) {
    fleet.onReceive = { [replies, released] fleet, index, received, reply in
      guard !String(decoding: received.body, as: UTF8.self).contains("rpc.") else { return false }
      return released.withLock { released in
        if released.contains(index) { return false }
        replies.withLock { $0[index, default: []].append { reply(fleet.echo(received.body, of: index)) } }
        return true
      }
    }
  }

  func count(_ index: Int) -> Int { replies.withLock { $0[index]?.count ?? 0 } }

  /// Sends what was held there, and holds no more.
  func release(_ index: Int) {
    released.withLock { _ = $0.insert(index) }
    for send in replies.withLock({ $0[index] ?? [] }) { send() }
  }
}

extension Fleet {
  /// Answers all but `rpc.` so many milliseconds after it came, unless the replica is silent by then.
  fileprivate func answerLate(by milliseconds: Int) {
    onReceive = { fleet, index, received, reply in
      guard !String(decoding: received.body, as: UTF8.self).contains("rpc.") else { return false }
      Task {
        try? await Task.sleep(for: .milliseconds(milliseconds))
        if !fleet.isMuted(index) { reply(fleet.echo(received.body, of: index)) }
      }
      return true
    }
  }

  /// A call of each number at once, which may be repeated; with its body.
  fileprivate func callAll(
    _ numbers: Range<Int>, milliseconds: Int = 20_000, profile: MethodProfile? = nil
  ) async -> [(String, InboundReply)] {
    await withTaskGroup(of: (String, InboundReply).self) { group in
      for number in numbers {
        group.addTask { [client] in
          let reply = await client.call(
            "\(number)", milliseconds: milliseconds, isIdempotent: true, profile: profile)
          return ("\(number)", reply)
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }
}
