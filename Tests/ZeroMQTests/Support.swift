// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

/// The transports that every case runs on.
enum Transport: String, CaseIterable, Sendable {
  case ipc, tcp
  var wildcard: String { self == .ipc ? "ipc://*" : "tcp://127.0.0.1:*" }
}

/// A ROUTER and the DEALERs connected to it, all on the test's thread.
struct Bus {
  let context: Context
  let router: Socket
  let endpoint: String

  init(_ transport: Transport, highWaterMark: Int? = nil) throws {
    context = try Context()
    router = try Socket(.router, in: context)
    if let highWaterMark { try router.set(.sendHighWaterMark, highWaterMark) }
    endpoint = try router.bind(transport.wildcard)
  }

  /// A DEALER whose connection stands: the router has heard it. Returns what the router calls it.
  func dealer(receiveHighWaterMark: Int? = nil) throws -> (Socket, id: [UInt8]) {
    let dealer = try Socket(.dealer, in: context)
    if let receiveHighWaterMark {
      try dealer.set(.receiveHighWaterMark, receiveHighWaterMark)
      // Small kernel buffers, so that a paused peer is felt soon.
      try dealer.set(.linger, 0)
    }
    try dealer.connect(endpoint)
    try dealer.sendWhenPossible([Array("hello".utf8)])
    return (dealer, try router.receiveWhenPossible()[0])
  }
}

struct NothingCame: Error {}

extension Socket {
  /// The next message, waited for.
  func receiveWhenPossible(within milliseconds: Int = 10_000) throws -> [[UInt8]] {
    let poller = try Poller()
    try poller.replaceItems([PollItem(self)])
    let end = now() + milliseconds
    while now() < end {
      if let message = try receive() { return message }
      try poller.poll(timeout: end - now())
    }
    throw NothingCame()
  }

  /// Until something may be received; also returns for nothing, now and then.
  func wait() throws {
    let poller = try Poller()
    try poller.replaceItems([PollItem(self)])
    try poller.poll(timeout: 10_000)
  }

  func sendWhenPossible(_ frames: [[UInt8]], within milliseconds: Int = 10_000) throws {
    let poller = try Poller()
    try poller.replaceItems([PollItem(self, .writable)])
    let end = now() + milliseconds
    while now() < end {
      if try send(frames: frames) { return }
      try poller.poll(timeout: end - now())
    }
    throw NothingCame()
  }
}

func now() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
}

func text(_ text: String) -> [UInt8] { Array(text.utf8) }
