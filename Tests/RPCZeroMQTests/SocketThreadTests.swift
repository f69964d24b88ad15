// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONRPC
import RPC
import RPCZeroMQ
import Testing
import Threading
import ZeroMQ

@Suite struct SocketThreadTests {
  /// Echoes what comes on a pipe, as a member that owns a plain descriptor.
  final class PipeMember: LoopMember {
    let descriptor: CInt
    let seen: Lock<[UInt8]>
    let stopped: Lock<Bool>
    init(_ descriptor: CInt, _ seen: Lock<[UInt8]>, _ stopped: Lock<Bool>) {
      (self.descriptor, self.seen, self.stopped) = (descriptor, seen, stopped)
    }
    func pollItems() -> [PollItem] { [PollItem(descriptor: descriptor)] }
    func turn() -> Bool {
      var byte: UInt8 = 0
      while read(descriptor, &byte, 1) == 1 { seen.withLock { $0.append(byte) } }
      return false
    }
    func nextTimeout() -> Int? { nil }
    func stop() { stopped.withLock { $0 = true } }
  }

  @Test func `plain descriptors get their turns beside sockets under load`() async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    _ = try await ZeroMQServer.bind(folder.endpoint, TestHandler.echo, on: thread)
    let client = try await ZeroMQClient.connect(folder.endpoint, on: thread)
    var ends: [CInt] = [0, 0]
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    let (seen, stopped) = (Lock<[UInt8]>([]), Lock(false))
    let (readEnd, writeEnd) = (ends[0], ends[1])
    try await thread.run { thread.attach(PipeMember(readEnd, seen, stopped)) }
    async let load: Void = {
      for number in 0..<2_000 { #expect(await client.call("\(number)").text == "re:\(number)") }
    }()
    for value in UInt8(0)..<100 {
      var byte = value
      _ = write(writeEnd, &byte, 1)
      while seen.withLock({ $0.count }) <= Int(value) { await Task.yield() }
    }
    #expect(seen.withLock { $0 } == Array(0..<100))
    await load
    await thread.stop()
    #expect(stopped.withLock { $0 })
    close(readEnd)
    close(writeEnd)
  }

  @Test func `descriptors are looked at though the thread is given work in every lap`() async throws {
    let thread = try SocketThread()
    var ends: [CInt] = [0, 0]
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    let (seen, stopped) = (Lock<[UInt8]>([]), Lock(false))
    let (readEnd, writeEnd) = (ends[0], ends[1])
    try await thread.run { thread.attach(PipeMember(readEnd, seen, stopped)) }
    // Each is taken in a lap of its own, and leaves the next one's work behind.
    @Sendable func goOn() {
      guard seen.withLock({ $0.isEmpty }) else { return }
      thread.perform { goOn() }
    }
    goOn()
    // The first turn is for being attached, and may see what is there then.
    try await thread.run {}
    var byte: UInt8 = 7
    _ = write(writeEnd, &byte, 1)
    let patience = ContinuousClock.now + .seconds(10)
    while seen.withLock({ $0.isEmpty }), ContinuousClock.now < patience { await Task.yield() }
    #expect(seen.withLock { $0 } == [7])
    await thread.stop()
    close(readEnd)
    close(writeEnd)
  }

  @Test func `a task on the thread's executor begins where it is made, and goes on on the thread after a wait`()
    async throws
  {
    let thread = try SocketThread()
    let resume = Lock<UnsafeContinuation<Void, Never>?>(nil)
    let places = Lock<[Bool]>([])
    let task = Task.immediateDetached(executorPreference: thread.executor) {
      places.withLock { $0.append(thread.isCurrent) }
      await withUnsafeContinuation { continuation in resume.withLock { $0 = continuation } }
      places.withLock { $0.append(thread.isCurrent) }
    }
    resume.withLock { $0! }.resume()
    await task.value
    #expect(places.withLock { $0 } == [false, true])
    await thread.stop()
  }

  @Test func `a task that waits while its thread ends goes on all the same`() async throws {
    let thread = try SocketThread()
    let resume = Lock<UnsafeContinuation<Void, Never>?>(nil)
    let task = Task.immediateDetached(executorPreference: thread.executor) {
      await withUnsafeContinuation { continuation in resume.withLock { $0 = continuation } }
      return "done"
    }
    await thread.stop()
    resume.withLock { $0! }.resume()
    #expect(await task.value == "done")
  }

  /// Counts its turns.
  final class TurnMember: LoopMember {
    let turns: Count
    let timeout: Int?
    let again: Int
    init(timeout: Int? = nil, again: Int = 0) {
      turns = Count()
      self.timeout = timeout
      self.again = again
    }
    func pollItems() -> [PollItem] { [] }
    func turn() -> Bool { turns.add() <= again }
    func nextTimeout() -> Int? { timeout }
    func stop() {}
  }

  @Test func `a member's time comes though others keep the loop awake`() async throws {
    let thread = try SocketThread()
    let turns = try await thread.run {
      let member = TurnMember(timeout: 50)
      thread.attach(member)
      return member.turns
    }
    // The first turn is for being attached. A loop that counts from each wake would not come to the second.
    let patience = ContinuousClock.now + .seconds(10)
    while turns.value < 3, ContinuousClock.now < patience { try await thread.run {} }
    #expect(turns.value >= 3)
    await thread.stop()
  }

  @Test func `a member gets turns while it wants them, when its time is over, and when another asks for it`()
    async throws
  {
    let thread = try SocketThread()
    nonisolated(unsafe) let (eager, timed, asked) = (TurnMember(again: 5), TurnMember(timeout: 1), TurnMember())
    try await thread.run { for member in [eager, timed, asked] { thread.attach(member) } }
    while timed.turns.value < 5 { await Task.yield() }
    #expect(eager.turns.value == 6)
    #expect(asked.turns.value == 1)
    try await thread.run { thread.giveTurn(to: asked) }
    while asked.turns.value < 2 { await Task.yield() }
    try await thread.run { thread.detach(timed) }
    let turns = timed.turns.value
    for _ in 0..<10 { try await thread.run {} }
    #expect(timed.turns.value == turns)
    await thread.stop()
  }

  @Test func `work runs on the thread, in order, and its error comes back`() async throws {
    let thread = try SocketThread()
    #expect(!thread.isCurrent)
    #expect(try await thread.run { thread.isCurrent })
    let order = Lock<[Int]>([])
    for number in 0..<1_000 { thread.perform { order.withLock { $0.append(number) } } }
    try await thread.run {}
    #expect(order.withLock { $0 } == Array(0..<1_000))
    await #expect(throws: NothingCame.self) { try await thread.run { throw NothingCame() } }
    await thread.stop()
  }

  @Test func `an ended thread says so`() async throws {
    let thread = try SocketThread()
    await thread.stop()
    await thread.stop()
    #expect(!thread.perform {})
    await #expect(throws: SocketThreadEnded.self) { try await thread.run {} }
  }

  @Test func `a stuck loop answers no health check, though its connections stay alive`() async throws {
    let folder = PrivateFolder()
    let (thread, serverThread) = (try SocketThread(), try SocketThread())
    _ = try await ZeroMQServer.bind(folder.endpoint, TestHandler.echo, on: serverThread)
    let client = try await ZeroMQClient.connect(folder.endpoint, on: thread)
    #expect(await client.call("health").text == "re:health")
    let gate = WakeEvent(blocking: true)
    serverThread.perform { gate.clear() }
    #expect(await client.call("health", milliseconds: 300).error?.code == .deadlineExceeded)
    gate.signal()
    #expect(await client.call("health").text == "re:health")
    await thread.stop()
    await serverThread.stop()
  }
}
