// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
internal import Glibc
internal import JSONRPC
internal import Lifecycle
internal import Logging
internal import RPC
internal import ZeroMQ

/// The gateway as a program: configuration, signals, log.
public enum GatewayProgram {
  /// What calls that run get at a stop, in milliseconds.
  private static let grace = 10_000

  /// Ends the process: status 0 after SIGTERM or SIGINT, 78 when the configuration cannot be used.
  public static func run() -> Never {
    ShutdownSignals.block()
    Scheduling.favourBatches()
    Allocation.givesBackLargeBlocks()
    let configuration = Configuration.fromEnvironment()
    // The main thread belongs to the main actor; the program's work is done elsewhere.
    Task.detached { exit(await status(configuration)) }
    while true { pause() }
  }

  private static func status(_ configuration: Configuration) async -> CInt {
    var logger = Logger(program: "gateway")
    do {
      let level = try configuration.choice(
        "ASSENT_LOG_LEVEL", default: "info", of: Logger.Level.allCases.map(\.name))
      logger = Logger(program: "gateway", threshold: Logger.Level.allCases.first { $0.name == level } ?? .info)
      var gateway = try GatewayConfiguration(configuration)
      if let lowered = gateway.fit(into: DescriptorLimit.raise()) { logger.warning(lowered) }
      let server = try await GatewayServer(gateway, logger)
      var faces: [String: JSONValue] = [:]
      faces["httpPort"] = server.httpPort.map { .integer(Int64($0)) }
      faces["zeroMQ"] = server.zeroMQEndpoint.map { .string($0) }
      logger.info("serving", faces)
      for await _ in ShutdownSignals.sequence() { break }
      logger.info("stopping")
      await server.stop(grace: grace)
      logger.info("stopped")
      return 0
    } catch {
      logger.error("\(error)")
      return 78
    }
  }
}
