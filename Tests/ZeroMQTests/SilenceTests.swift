// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import Testing
import Threading
import ZeroMQ

/// What happens when nobody says goodbye: heartbeats see it; published messages are lost without a word.
@Suite struct SilenceTests {
  /// Passes bytes between one client and a server, until it is told to stop passing.
  private final class Relay: Sendable {
    let port: UInt16
    private let listener: CInt
    private let target: UInt16
    /// 0: passes; 1: passes nothing; 2: ends.
    private let state = Atomic<Int>(0)

    init(to target: UInt16) {
      self.target = target
      let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
      var address = Relay.loopback(0)
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = bind(listener, $0, size)
          _ = listen(listener, 1)
          _ = getsockname(listener, $0, &size)
        }
      }
      self.listener = listener
      port = UInt16(bigEndian: address.sin_port)
      startThread(named: "relay") { self.run() }
    }

    /// From now on nothing passes; the connections stay open.
    func cut() { state.store(1, ordering: .relaxed) }
    func end() { state.store(2, ordering: .relaxed) }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      return address
    }

    private func run() {
      let client = accept(listener, nil, nil)
      let server = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
      var address = Relay.loopback(target)
      _ = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while state.load(ordering: .relaxed) != 2 {
        var items = [
          pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: server, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&items, 2, 10) > 0, state.load(ordering: .relaxed) == 0 else {
          if state.load(ordering: .relaxed) == 1 { usleep(1_000) }
          continue
        }
        for (from, to) in [(0, server), (1, client)] where items[from].revents != 0 {
          let count = read(items[from].fd, &buffer, buffer.count)
          if count > 0 { _ = write(to, buffer, count) }
        }
      }
      for descriptor in [client, server, listener] { close(descriptor) }
    }
  }

  @Test(arguments: [true, false])
  func `a peer that has fallen silent is noticed by heartbeats, and by nothing else`(_ heartbeats: Bool) throws {
    let context = try Context()
    let router = try Socket(.router, in: context)
    let relay = Relay(to: UInt16(try router.bind("tcp://127.0.0.1:*").split(separator: ":").last!)!)
    defer { relay.end() }
    let dealer = try Socket(.dealer, in: context)
    if heartbeats {
      try dealer.set(.heartbeatInterval, 100)
      try dealer.set(.heartbeatTimeout, 200)
    }
    let monitor = try SocketMonitor(dealer, in: context)
    try dealer.connect("tcp://127.0.0.1:\(relay.port)")
    try dealer.sendWhenPossible([text("hello")])
    _ = try router.receiveWhenPossible()
    relay.cut()
    let poller = try Poller()
    try poller.replaceItems([PollItem(monitor.socket)])
    var isNoticed = false
    let end = now() + (heartbeats ? 10_000 : 1_000)
    while !isNoticed, now() < end {
      if let event = try monitor.next() { isNoticed = event == .disconnected } else { try poller.poll(timeout: 50) }
    }
    #expect(isNoticed == heartbeats)
  }

  @Test func `what is published before a subscriber is there is lost without an error, so it is never the record`()
    throws
  {
    let context = try Context()
    let publisher = try Socket(.pub, in: context)
    let endpoint = try publisher.bind("ipc://*")
    for number in 0..<1_000 { #expect(try publisher.send(frames: [text("\(number)")])) }
    let subscriber = try Socket(.sub, in: context)
    try subscriber.set(.subscribe, [])
    try subscriber.connect(endpoint)
    // Until it is there.
    var first: [[UInt8]]?
    while first == nil {
      #expect(try publisher.send(frames: [text("later")]))
      first = try? subscriber.receiveWhenPossible(within: 20)
    }
    #expect(first == [text("later")])
  }
}
