// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
internal import Glibc
internal import JSONRPC
internal import Logging
internal import RPC
internal import RPCZeroMQ

/// One hop of Assent's bus and nothing else: params are decoded into a type, given back, and encoded. What a call costs
/// before a service does anything.
///
/// By CURVE where `ASSENT_CURVE_KEY_FILE` and `ASSENT_CURVE_PEERS_FILE` name keys.
@main struct Main {
  struct EchoParams: Codable, Sendable {
    var text: String
  }

  static let echo = Method<EchoParams, EchoParams>("echo", "Gives its params back", .anyone)

  static func main() {
    let logger = Logger(program: "bus-echo")
    guard CommandLine.arguments.count == 2 else {
      logger.error("usage: bus-echo ENDPOINT")
      exit(64)
    }
    let endpoint = CommandLine.arguments[1]
    // The main thread belongs to the main actor; the work is done on the socket thread.
    Task.detached {
      do {
        var router = MethodRouter()
        router.on(echo) { params, _ in params }
        let thread = try SocketThread()
        let security = try await BusSecurity.configured(by: .fromEnvironment(), for: .service, on: thread, logger)
        let server = try await ZeroMQServer.bind(
          endpoint, Dispatcher(router, title: "echo"), on: thread, security: security)
        // The server lives as long as the process.
        withExtendedLifetime(server) { while true { pause() } }
      } catch {
        logger.error("\(error)")
        exit(1)
      }
    }
    while true { pause() }
  }
}
