// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing
import ZeroMQ

@Suite struct OptionTests {
  @Test func `options read back as they were set`() throws {
    let socket = try Socket(.dealer, in: Context())
    try socket.set(.sendHighWaterMark, 17)
    try socket.set(.largestFrame, 5_000_000_000)
    try socket.set(.routingID, [1, 0, 2])
    try socket.set(.immediate, true)
    #expect(try socket.get(.sendHighWaterMark) == 17)
    #expect(try socket.get(.largestFrame) == 5_000_000_000)
    #expect(try socket.get(.routingID) == [1, 0, 2])
    #expect(try socket.get(.immediate) == true)
  }

  @Test func `a value out of range is an error with libzmq's words`() throws {
    let socket = try Socket(.dealer, in: Context())
    let error = #expect(throws: ZeroMQError.self) { try socket.set(.sendHighWaterMark, -5) }
    #expect(error?.description == "ZeroMQ: Invalid argument (22)")
  }

  @Test func `an endpoint in use is told`() throws {
    let context = try Context()
    let first = try Socket(.router, in: context)
    let endpoint = try first.bind("tcp://127.0.0.1:*")
    #expect(throws: ZeroMQError.addressInUse) { try Socket(.router, in: context).bind(endpoint) }
  }

  @Test func `bind tells the port that the system chose`() throws {
    let endpoint = try Socket(.router, in: Context()).bind("tcp://127.0.0.1:*")
    #expect(endpoint.hasPrefix("tcp://127.0.0.1:") && !endpoint.hasSuffix("*"))
  }

  @Test(arguments: [
    ("ipc:///run/x", true), ("tcp://127.0.0.1:5570", true), ("tcp://[::1]:5570", true), ("tcp://0.0.0.0:5570", false),
    ("tcp://*:5570", false), ("tcp://10.0.0.1:5570", false), ("inproc://x", true),
  ])
  func `local endpoints are told from others`(_ endpoint: String, _ isLocal: Bool) {
    #expect(Endpoint.isLocal(endpoint) == isLocal)
  }
}
