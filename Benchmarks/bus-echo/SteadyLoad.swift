// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
internal import Glibc
internal import JSONRPC
internal import Logging
internal import RPC
internal import RPCZeroMQ
internal import Threading

/// Calls `echo` so many times a second, whatever becomes of the calls, and says on standard output, a JSON object a line,
/// which replicas are in rotation whenever that changes (`rotation`), and at the end what became of the calls.
struct SteadyLoad: Sendable {
  private let endpoints: String
  private let rate: Int
  private let seconds: Int

  /// Of how many calls how many failed, by reason; the slowest, and the slowest but one of a hundred.
  private struct Outcome: Codable, Sendable {
    var calls = 0
    var failed: [String: Int] = [:]
    var slowestMs = 0
    var p99Ms = 0
  }
  private struct Rotation: Codable, Sendable {
    var atMs: Int64
    var rotation: [String]
  }

  /// From `--call ENDPOINTS CALLS_PER_SECOND SECONDS`.
  init?(_ arguments: [String]) {
    guard arguments.count == 4, arguments[0] == "--call", let rate = Int(arguments[2]), rate > 0,
      let seconds = Int(arguments[3]), seconds > 0
    else { return nil }
    endpoints = arguments[1]
    self.rate = rate
    self.seconds = seconds
  }

  func run(_ logger: Logger) async throws {
    let thread = try SocketThread()
    let security = try await BusSecurity.configured(by: .fromEnvironment(), for: .closed, on: thread, logger)
    let client = try await ZeroMQClient.connect(
      endpoints, on: thread, security: security, server: .service("echo"))
    let results = Lock<(latencies: [Int], failed: [String: Int])>(([], [:]))
    let profile = MethodProfile()
    let body = try Request.bytes(id: 1, method: Main.echo.name, params: Main.EchoParams(text: "x"))
    let began = MonotonicClock.milliseconds()
    startThread(named: "load") {
      var sent = 0
      while sent < rate * seconds {
        let due = Int(MonotonicClock.milliseconds() - began) * rate / 1_000
        while sent < min(due, rate * seconds) {
          sent += 1
          let start = MonotonicClock.milliseconds()
          let request = OutboundRequest(
            body: body, metadata: Array("{}".utf8), deadline: .after(milliseconds: 5_000), isIdempotent: true,
            profile: profile)
          client.send(request) { reply in
            let took = Int(MonotonicClock.milliseconds() - start)
            results.withLock { results in
              results.latencies.append(took)
              switch reply {
              case .failed(let error): results.failed[error.reason, default: 0] += 1
              case .reply(_, let metadata):
                if let code = metadata.errorCode { results.failed["\(code)", default: 0] += 1 }
              }
            }
          }
        }
        usleep(500)
      }
    }
    try await watch(client, since: began) { results.withLock { $0.latencies.count } < rate * seconds }
    let (latencies, failed) = results.withLock { ($0.latencies.sorted(), $0.failed) }
    say(
      Outcome(
        calls: latencies.count, failed: failed, slowestMs: latencies.last ?? 0,
        p99Ms: latencies[latencies.count * 99 / 100]))
  }

  private func watch(_ client: ZeroMQClient, since began: Int64, while isRunning: () -> Bool) async throws {
    var known: [String] = []
    while isRunning() {
      let rotation = try await client.rotation().sorted()
      if rotation != known {
        known = rotation
        say(Rotation(atMs: MonotonicClock.milliseconds() - began, rotation: rotation))
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private func say(_ value: some Encodable) {
    var line = (try? JSON.encode(value)) ?? []
    line.append(UInt8(ascii: "\n"))
    _ = line.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
  }
}
