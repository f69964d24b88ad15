// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import Threading
import ZeroMQ

/// What a binding must get right about memory, threads and endings.
@Suite struct OwnershipTests {
  @Test(arguments: [
    [], [0], text("é\u{0}ü"), [UInt8](repeating: 65, count: 256), [UInt8](repeating: 66, count: 70_000),
  ])
  func `bytes arrive as sent, counted in bytes`(_ bytes: [UInt8]) throws {
    let bus = try Bus(.ipc)
    let (dealer, _) = try bus.dealer()
    try dealer.sendWhenPossible([bytes, bytes])
    #expect(try Array(bus.router.receiveWhenPossible().dropFirst()) == [bytes, bytes])
  }

  @Test func `a message outlives its socket`() throws {
    let kept = Message()
    do {
      let bus = try Bus(.ipc)
      let (dealer, id) = try bus.dealer()
      try bus.router.sendWhenPossible([id, [UInt8](repeating: 9, count: 5_000)])
      try dealer.wait()
      #expect(try dealer.receive(into: kept))
    }
    #expect(kept.copiedBytes == [UInt8](repeating: 9, count: 5_000))
  }

  @Test func `a sent message is empty afterwards, a refused one whole`() throws {
    let bus = try Bus(.ipc)
    let (dealer, _) = try bus.dealer()
    var message = try Message(count: 100) { $0.copyBytes(from: [UInt8](repeating: 5, count: 100)) }
    let lonely = try Socket(.dealer, in: bus.context)  // Connected to nothing.
    #expect(try !lonely.send(&message))
    #expect(message.count == 100)
    #expect(try dealer.send(&message))
    #expect(message.count == 0)
    #expect(try bus.router.receiveWhenPossible().last == [UInt8](repeating: 5, count: 100))
  }

  @Test(arguments: [SocketKind.router, .dealer, .req, .rep, .pub, .sub, .pair])
  func `every socket starts with a finite linger`(_ kind: SocketKind) throws {
    #expect(try Socket(kind, in: Context()).get(.linger) == 1_000)
  }

  @Test func `a context ends although messages for nobody are queued`() throws {
    let context = try Context()
    let dealer = try Socket(.dealer, in: context)
    try dealer.set(.linger, 50)
    try dealer.connect("tcp://127.0.0.1:1")
    for _ in 0..<10 { #expect(try dealer.send(text("never"))) }
  }

  @Test func `a closed socket refuses every call`() throws {
    let socket = try Socket(.dealer, in: Context())
    socket.close()
    socket.close()
    let notASocket = ZeroMQError(code: ENOTSOCK)
    #expect(throws: notASocket) { try socket.send(text("x")) }
    #expect(throws: notASocket) { try socket.receive() }
    #expect(throws: notASocket) { try socket.set(.linger, 1) }
    #expect(throws: notASocket) { try socket.bind("ipc://*") }
  }

  @Test func `sockets number less than the process's descriptors`() throws {
    var limit = rlimit()
    let context = try Context(socketLimit: 1_000_000)
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #expect(context.socketLimit <= Int(limit.rlim_cur) / 4)
    #expect(limit.rlim_cur == min(limit.rlim_max, 65_536))
    #expect(try Context().socketLimit <= 1_023)
  }

  @Test func `a thousand sockets leave no descriptor behind`() throws {
    func openDescriptors() -> Int {
      var count = 0
      let folder = opendir("/proc/self/fd")!
      while readdir(folder) != nil { count += 1 }
      closedir(folder)
      return count
    }
    let context = try Context()
    _ = try Socket(.dealer, in: context)
    // Other suites open and close sockets beside this one; a leak would be a thousand.
    let before = openDescriptors()
    for _ in 0..<1_000 { try Socket(.dealer, in: context).connect("ipc:///tmp/assent-nothing-here") }
    // libzmq's reaper closes them on a thread of its own.
    let end = now() + 10_000
    while openDescriptors() > before + 500, now() < end { sched_yield() }
    #expect(openDescriptors() <= before + 500)
  }

  #if DEBUG
  @Test func `a call off the owning thread stops a debug build`() async {
    await #expect(processExitsWith: .failure) {
      nonisolated(unsafe) let socket = try Socket(.dealer, in: Context())
      startThread(named: "stranger") {
        _ = try? socket.send([1])
        exit(0)
      }
      while true { pause() }
    }
  }
  #endif
}
