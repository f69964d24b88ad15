// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONRPC
import RPC
@testable import RPCZeroMQ
import Synchronization
import Testing
import Threading

/// Several servers behind one client.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ReplicaTests {
  @Test func `calls are spread over all replicas`() async throws {
    let fleet = try await Fleet(3)
    await fleet.warm()
    let before = fleet.counts
    for _ in 0..<300 { _ = await fleet.client.call("x") }
    for (count, before) in zip(fleet.counts, before) { #expect(count - before > 50) }
    await fleet.stop()
  }

  @Test func `a replica that does not answer gets hardly any calls, and idempotent ones are answered elsewhere`()
    async throws
  {
    let fleet = try await Fleet(2)
    await fleet.warm()
    let before = fleet.counts[0]
    fleet.mute(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<50 { #expect(await fleet.client.call("x", isIdempotent: true).error == nil) }
        }
      }
    }
    #expect(fleet.counts[0] < before + 30)
    await fleet.stop()
  }

  @Test func `an attempt that takes too long is repeated on another replica, with its number, and taken back`()
    async throws
  {
    let fleet = try await Fleet(2)
    await fleet.warm()
    fleet.mute(0)
    let replies = await withTaskGroup(of: InboundReply.self) { group in
      for _ in 0..<6 { group.addTask { await fleet.client.call("slow", milliseconds: 5_000, isIdempotent: true) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for reply in replies { #expect(reply.text == "slow") }
    let lost = fleet.seen(by: 0).filter { $0.body == text("slow") }
    #expect(!lost.isEmpty)
    let repeated = fleet.seen(by: 1).filter { $0.metadata.attempt == 2 }
    #expect(repeated.count == lost.count)
    // Who wakes must not carry out what was asked elsewhere meanwhile: it expired there with its attempt.
    for attempt in lost {
      let expires = try #require(attempt.metadata.expiresAt)
      #expect(expires < attempt.receivedAt + 1_700)
      #expect(attempt.metadata.timeoutMs ?? 0 > 4_000)
    }
    try await until { fleet.cancels(0) == lost.count }
    await fleet.stop()
  }

  @Test func `a call that may not run twice waits for its one attempt`() async throws {
    let fleet = try await Fleet(2)
    await fleet.warm()
    fleet.mute(0)
    fleet.mute(1)
    let error = await fleet.client.call("once", milliseconds: 1_200).error
    #expect(error?.code == .deadlineExceeded && error?.processed == .unknown)
    #expect((fleet.seen(by: 0) + fleet.seen(by: 1)).filter { $0.body == text("once") }.count == 1)
    await fleet.stop()
  }

  @Test func `what a lost connection leaves unknown is sent again if that does no harm`() async throws {
    let fleet = try await Fleet(2)
    await fleet.warm()
    fleet.mute(0)
    async let replies = withTaskGroup(of: InboundReply.self) { group in
      for number in 0..<20 {
        group.addTask { await fleet.client.call("\(number)", isIdempotent: number % 2 == 0) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    while !fleet.seen(by: 0).contains(where: { $0.body.count < 3 }) { await Task.yield() }
    await fleet.kill(0)
    for reply in await replies {
      if let error = reply.error { #expect(error.reason == "connectionLost" && error.processed == .unknown) }
    }
    let answered = await replies.compactMap(\.text)
    #expect(Set(answered).isSuperset(of: (0..<10).map { "\($0 * 2)" }))
    await fleet.stop()
  }

  @Test func `no attempt more than three repeats, and what may have run is unknown`() async throws {
    let fleet = try await Fleet(1)
    await fleet.warm()
    let losses = Lock(0)
    fleet.onReceive = { fleet, index, received, _ in
      guard received.body == text("lost") else { return false }
      losses.withLock { $0 += 1 }
      Task { await fleet.restart(index) }
      return true
    }
    let error = await fleet.client.call("lost", isIdempotent: true).error
    #expect(error?.reason == "connectionLost" && error?.processed == .unknown)
    #expect(losses.withLock { $0 } == 4)
    await fleet.stop()
  }

  @Test func `a draining replica is left at once, and its calls go on elsewhere without an error`() async throws {
    let fleet = try await Fleet(2)
    await fleet.warm()
    fleet.state(0) { $0.isDraining = true }
    await fleet.warm()
    let before = fleet.counts[0]
    for _ in 0..<100 { #expect(await fleet.client.call("x").text == "x") }
    #expect(fleet.counts[0] == before)
    fleet.state(0) { $0.isDraining = false }
    await fleet.stop()
  }

  @Test func `what a replica refuses unseen goes to another, also what may not run twice`() async throws {
    let fleet = try await Fleet(2)
    await fleet.warm()
    fleet.state(0) { $0.isRefusing = true }
    for _ in 0..<100 { #expect(await fleet.client.call("x").text == "x") }
    // Refused once, not asked again.
    #expect(fleet.seen(by: 0).filter { $0.body == text("x") }.count <= 1)
    await fleet.stop()
  }

  @Test func `calls by the hundred go to the one of three that is not closed, and back to one that opens`() async throws
  {
    let fleet = try await Fleet(3)
    await fleet.warm()
    for index in 0..<2 { fleet.state(index) { $0.isClosed = true } }
    let replies = await withTaskGroup(of: InboundReply.self) { group in
      for _ in 0..<400 { group.addTask { await fleet.client.call("x") } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for reply in replies { #expect(reply.text == "x" && reply.errorCode == nil) }
    let before = fleet.counts
    for _ in 0..<100 { #expect(await fleet.client.call("x").errorCode == nil) }
    #expect(fleet.counts[0] == before[0] && fleet.counts[1] == before[1])
    fleet.state(0) { $0.isClosed = false }
    while fleet.counts[0] < before[0] + 10 { _ = await fleet.client.call("x") }
    await fleet.stop()
  }

  @Test func `with all replicas closed a call is told so at once`() async throws {
    let fleet = try await Fleet(3)
    await fleet.warm()
    for index in 0..<3 { fleet.state(index) { $0.isClosed = true } }
    let before = fleet.counts.reduce(0, +)
    for _ in 0..<50 {
      #expect(await fleet.client.call("x").errorCode == ErrorCode.failedPrecondition.rawValue)
    }
    // Three more while it is found out.
    #expect(fleet.counts.reduce(0, +) <= before + 53)
    await fleet.stop()
  }

  @Test func `with all replicas refusing a call waits for a successor`() async throws {
    let fleet = try await Fleet(1)
    await fleet.warm()
    fleet.state(0) { $0.isRefusing = true }
    async let reply = fleet.client.call("x")
    while !fleet.seen(by: 0).contains(where: { $0.body == text("x") }) { await Task.yield() }
    fleet.state(0) { $0.isRefusing = false }
    await fleet.restart(0)
    #expect(await reply.text == "x")
    await fleet.stop()
  }

  @Test func `a call that came too early for the only replica is carried out once that is open`() async throws {
    let fleet = try await Fleet(1)
    fleet.state(0) { $0.isRefusing = true }
    async let early = fleet.client.call("early")
    while !fleet.seen(by: 0).contains(where: { $0.body == text("early") }) { await Task.yield() }
    async let late = fleet.client.call("late")
    // Asked more than once, and given each call once at most meanwhile.
    while fleet.seen(by: 0).count < 4 { await Task.yield() }
    #expect(fleet.counts[0] <= 2)
    fleet.state(0) { $0.isRefusing = false }
    #expect(await early.text == "early")
    #expect(await late.text == "late")
    await fleet.stop()
  }

  @Test func `a rolling restart under load fails no call`() async throws {
    let fleet = try await Fleet(3)
    await fleet.warm()
    let (isOver, answered) = (Count(), Count())
    await withTaskGroup(of: Void.self) { group in
      for caller in 0..<16 {
        group.addTask {
          var number = 0
          while isOver.value == 0 {
            number += 1
            // Half of the calls may not run twice.
            let reply = await fleet.client.call("\(caller).\(number)", isIdempotent: caller % 2 == 0)
            #expect(reply.text == "\(caller).\(number)", "\(String(describing: reply.error))")
            answered.add()
          }
        }
      }
      for index in 0..<3 {
        let before = answered.value
        while answered.value < before + 300 { await Task.yield() }
        fleet.state(index) { $0.isDraining = true }
        let announced = answered.value
        while answered.value < announced + 100 { await Task.yield() }
        fleet.state(index) { $0.isRefusing = true }
        await fleet.finish(index)
        fleet.state(index) { $0 = .init() }
        await fleet.restart(index)
      }
      isOver.add()
    }
    await fleet.stop()
  }

  @Test func `a slow first attempt gets a second one beside it, for methods that ask; the loser is taken back`()
    async throws
  {
    let fleet = try await Fleet(2)
    await fleet.warm()
    let profile = MethodProfile(isHedged: true)
    for _ in 0..<3_000 { profile.record(nanoseconds: 100_000) }
    fleet.mute(0)
    for _ in 0..<6 {
      #expect(await fleet.client.call("read", isIdempotent: true, profile: profile).text == "read")
    }
    let lost = fleet.seen(by: 0).filter { $0.body == text("read") }
    #expect(!lost.isEmpty)
    // One that was sent there first was sent again to the other. On a busy machine that one may be slow too.
    let first = lost.filter { $0.metadata.attempt == nil }
    #expect(fleet.seen(by: 1).filter { $0.metadata.attempt == 2 }.count == first.count)
    try await until { fleet.cancels(0) == lost.count }
    await fleet.stop()
  }

  @Test func `a silent replica is taken out of rotation, and comes back when it answers`() async throws {
    var policy = ClientPolicy()
    policy.outliers.probeInterval = 100
    policy.outliers.probeTimeout = 100
    let fleet = try await Fleet(2, policy)
    await fleet.warm()
    fleet.mute(0)
    while await fleet.rotation() != [fleet.endpoints[1]] { await Task.yield() }
    fleet.unmute(0)
    while await fleet.rotation().count < 2 { await Task.yield() }
    // With none that answers, those that are connected are used all the same.
    fleet.mute(0)
    fleet.mute(1)
    let asked = { fleet.seen(by: 0).count + fleet.seen(by: 1).count }
    let before = asked()
    while asked() < before + 8 { await Task.yield() }
    #expect(await fleet.rotation().count == 2)
    await fleet.stop()
  }

  @Test func `a replica that times out again and again is ejected`() async throws {
    var policy = ClientPolicy()
    policy.outliers.probeInterval = 600_000
    policy.outliers.ejection = 600_000
    policy.outliers.longestEjection = 600_000
    policy.retry.shortestAttempt = 30
    policy.retry.latencyFactor = 0
    let fleet = try await Fleet(2, policy)
    await fleet.warm()
    fleet.mute(0)
    while await fleet.rotation().count == 2 {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { _ = await fleet.client.call("x", isIdempotent: true) } }
      }
    }
    #expect(await fleet.rotation() == [fleet.endpoints[1]])
    await fleet.stop()
  }

  @Test func `calls beyond the breaker's limit are refused, and more replicas take more`() async throws {
    let fleet = try await Fleet(2, .calls(10))
    await fleet.warm()
    fleet.mute(0)
    fleet.mute(1)
    let thread = fleet.thread
    func room() async throws -> Int? { try await thread.run { fleet.client.room } }
    #expect(try await room() == 20)
    #expect(fleet.client.room == nil)
    let (refused, waiting) = (Lock<[RPCError]>([]), Count())
    for _ in 0..<50 {
      let request = OutboundRequest(body: text("x"), metadata: text("{}"), deadline: .after(milliseconds: 30_000))
      fleet.client.send(request) { reply in
        if let error = reply.error, error.reason != "closed" { refused.withLock { $0.append(error) } }
      }
      waiting.add()
    }
    _ = await fleet.rotation()
    let errors = refused.withLock { $0 }
    #expect(errors.count == 30)
    #expect(try await room() == 0)
    for error in errors {
      #expect(error.code == .unavailable && error.processed == .no && error.reason == "tooManyCalls")
    }
    await fleet.stop()
  }

  @Test func `a replica that was stuck runs nothing of what was asked elsewhere meanwhile`() async throws {
    let folder = PrivateFolder()
    let write = Method<Empty, Empty>("test.write", "Counts", .anyone, effect: .write)
    let (threads, ran) = (try (0..<3).map { _ in try SocketThread() }, [Count(), Count()])
    for index in 0..<2 {
      var router = MethodRouter()
      let count = ran[index]
      router.on(write) { _, _ in
        count.add()
        return Empty()
      }
      _ = try await ZeroMQServer.bind(
        "\(folder.endpoint)\(index)", Dispatcher(router, title: "test"), on: threads[index])
    }
    func client(_ endpoints: String) async throws -> RPCClient {
      RPCClient(try await ZeroMQClient.connect(endpoints, on: threads[2]), as: "test")
    }
    func call(_ client: RPCClient) async throws {
      _ = try await client.call(
        write, Empty(), app: "default", deadline: .after(milliseconds: 10_000), idempotencyKey: "key")
    }
    let both = try await client("\(folder.endpoint)0,\(folder.endpoint)1")
    while ran.contains(where: { $0.value == 0 }) { try await call(both) }
    let gate = WakeEvent(blocking: true)
    threads[0].perform { gate.clear() }
    let (before, elsewhere) = (ran[0].value, ran[1].value)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { try await call(both) } }
      try await group.waitForAll()
    }
    #expect(ran[1].value == elsewhere + 20)
    gate.signal()
    let only = try await client("\(folder.endpoint)0")
    for _ in 0..<50 { try await call(only) }
    #expect(ran[0].value == before + 50)
    for thread in threads { await thread.stop() }
    for index in 0..<2 { unlink("\(folder.path)/s\(index)") }
  }
}
