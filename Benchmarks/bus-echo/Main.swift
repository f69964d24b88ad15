// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
internal import Glibc
internal import JSONRPC
internal import Lifecycle
internal import Logging
internal import RPC
internal import RPCZeroMQ

/// One hop of Assent's bus and nothing else: params are decoded into a type, given back, and encoded. What a call costs
/// before a service does anything. With `--call` it is the caller, at a steady rate (`SteadyLoad`).
///
/// By CURVE where `ASSENT_CURVE_KEY_FILE` and `ASSENT_CURVE_PEERS_FILE` name keys. Stops as services do, after
/// `ASSENT_DRAIN_SECONDS` (0).
@main struct Main {
  struct EchoParams: Codable, Sendable {
    var text: String
  }

  static let echo = Method<EchoParams, EchoParams>("echo", "Gives its params back", .anyone)

  static func main() {
    ShutdownSignals.block()
    Scheduling.favourBatches()
    let logger = Logger(program: "bus-echo")
    let arguments = Array(CommandLine.arguments.dropFirst())
    let load = SteadyLoad(arguments)
    guard load != nil || (arguments.count == 1 && !arguments[0].hasPrefix("-")) else {
      logger.error("usage: bus-echo ENDPOINT | bus-echo --call ENDPOINT[,ENDPOINT...] CALLS_PER_SECOND SECONDS")
      exit(64)
    }
    // The main thread belongs to the main actor; the work is done on the socket thread.
    Task.detached {
      do {
        if let load { try await load.run(logger) } else { try await serve(arguments[0], logger) }
        exit(0)
      } catch {
        logger.error("\(error)")
        exit(1)
      }
    }
    while true { pause() }
  }

  private static func serve(_ endpoint: String, _ logger: Logger) async throws {
    let configuration = Configuration.fromEnvironment()
    let drainSeconds = try configuration.int("ASSENT_DRAIN_SECONDS", default: 0, in: 0...600)
    var router = MethodRouter()
    router.on(echo) { params, _ in params }
    let thread = try SocketThread()
    let security = try await BusSecurity.configured(by: configuration, for: .service, on: thread, logger)
    let health = Health()
    let server = try await ZeroMQServer.bind(
      endpoint, Dispatcher(router, title: "echo", health: health), on: thread, security: security)
    health.setServing()
    for await _ in ShutdownSignals.sequence() { break }
    health.setDraining()
    try await Task.sleep(for: .seconds(drainSeconds))
    health.setRefusing()
    await server.finish(by: .after(milliseconds: 10_000))
    await thread.stop()
  }
}
