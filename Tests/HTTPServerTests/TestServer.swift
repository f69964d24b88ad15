// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
@testable import HTTPServer
import Synchronization
import Threading

/// A server in a poll loop on a thread of its own, as it lives in the gateway.
///
/// `/echo` answers at once with `METHOD path query header body-length body`; `/later` waits for `onLoop` to answer;
/// `/stream` begins a stream that `onLoop` feeds. What the handler sees is reported in `events`.
final class TestServer: Sendable {
  typealias Command = @Sendable (HTTPServer, TestHandler) -> Void

  let port: UInt16
  let events: AsyncStream<String>
  private let commands = Mailbox<Command>()

  init(_ configuration: HTTPServerConfiguration = HTTPServerConfiguration()) throws {
    let (events, report) = AsyncStream.makeStream(of: String.self)
    self.events = events
    let started = WakeEvent(blocking: true)
    let result = Lock<Result<UInt16, HTTPServerError>?>(nil)
    let commands = commands
    startThread(named: "http-test") {
      let handler = TestHandler(report)
      let server: HTTPServer
      do throws(HTTPServerError) {
        server = try HTTPServer(configuration, handler: handler)
      } catch {
        result.withLock { $0 = .failure(error) }
        return started.signal()
      }
      handler.server = server
      result.withLock { $0 = .success(server.port) }
      started.signal()
      TestServer.loop(server, handler, commands)
    }
    started.clear()
    port = try result.withLock { $0! }.get()
  }

  deinit { stop() }

  func stop() {
    onLoop { server, handler in
      server.stop()
      handler.isStopped = true
    }
  }

  /// Runs `command` on the server's thread.
  func onLoop(_ command: @escaping Command) { commands.add(command) }

  /// Waits until `condition` holds, looking after each turn, and not for ever. Blocks its thread rather than letting others
  /// have it: a test that came back to a crowded pool for each look would be at it for minutes.
  /// - Returns: whether it came to hold.
  func comes(_ condition: @escaping @Sendable (HTTPServer) -> Bool) -> Bool {
    let held = WakeEvent()
    let isHeld = Lock(false)
    onLoop { server, handler in
      handler.conditions.append { server in
        guard condition(server) else { return false }
        isHeld.withLock { $0 = true }
        held.signal()
        return true
      }
    }
    held.wait(atMost: 20_000)
    return isHeld.withLock { $0 }
  }

  /// Whether a descriptor of the server's is readable now; it is told of each.
  static func ready(_ server: HTTPServer) -> Bool {
    var polled = server.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    poll(&polled, nfds_t(polled.count), 0)
    for (place, polled) in polled.enumerated() where polled.revents != 0 { server.isReadable(place) }
    return polled.contains { $0.revents != 0 }
  }

  private static func loop(_ server: HTTPServer, _ handler: TestHandler, _ commands: Mailbox<Command>) {
    var taken: [Command] = []
    while !handler.isStopped {
      let descriptors = server.descriptors + [commands.descriptor]
      var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let timeout = commands.prepareToSleep() ? server.nextTimeout ?? -1 : 0
      poll(&polled, nfds_t(polled.count), CInt(clamping: timeout))
      commands.wakeUp(signalled: polled.last!.revents != 0)
      commands.drain(into: &taken)
      for command in taken { command(server, handler) }
      taken.removeAll()
      for (place, polled) in polled.dropLast().enumerated() where polled.revents != 0 { server.isReadable(place) }
      server.turn()
      handler.conditions.removeAll { $0(server) }
    }
    handler.report.yield("stopped")
    handler.report.finish()
  }
}

final class TestHandler: HTTPHandler {
  unowned var server: HTTPServer!
  let report: AsyncStream<String>.Continuation
  var isStopped = false
  /// Looked at after each turn, and dropped once they hold.
  var conditions: [(HTTPServer) -> Bool] = []
  /// Requests that wait, in the order they came.
  var waiting: [HTTPRequestID] = []
  var answered: [HTTPRequestID] = []
  /// Those of `answered` whose answers have ended, by their places in it.
  var ended: [Int] = []

  init(_ report: AsyncStream<String>.Continuation) { self.report = report }

  func bodyLimit(for request: HTTPRequest) -> Int { request.path == "/big" ? 4 << 20 : 1000 }

  func receive(_ request: HTTPRequest, body: [UInt8]) {
    switch request.path {
    case "/later", "/stream":
      if request.path == "/stream" {
        server.beginStream(request.id, status: 200, headers: [HTTPHeader("Content-Type", "text/event-stream")])
      }
      waiting.append(request.id)
      report.yield("received \(String(decoding: body, as: UTF8.self))")
    default:
      let text =
        "\(request.method) \(request.path) \(request.query("q") ?? "-") \(request.header("X-Test") ?? "-") \(body.count) "
        + String(decoding: body.prefix(200), as: UTF8.self)
      server.respond(request.id, status: 200, headers: [.plainText], body: Array(text.utf8))
    }
  }

  func clientLeft(_ id: HTTPRequestID) { report.yield("left \(waiting.firstIndex(of: id).map(String.init) ?? "?")") }

  func answerEnded(_ id: HTTPRequestID) {
    if let place = answered.firstIndex(of: id) { ended.append(place) }
  }

  func answerAll(_ text: String) {
    for id in waiting { server.respond(id, status: 200, headers: [], body: Array(text.utf8)) }
    answered += waiting
    waiting = []
  }
}
