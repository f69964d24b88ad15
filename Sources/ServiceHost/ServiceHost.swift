// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
internal import Glibc
internal import JSONRPC
internal import Lifecycle
internal import Logging
public import ServiceKit

/// Runs a service as a program: configuration, store, bus, background work, signals.
public enum ServiceHost {
  /// What a service's `main` calls. Ends the process: status 0 after SIGTERM or SIGINT, 78 when the configuration or the
  /// data cannot be used, 70 for anything else that ends it.
  public static func run<S: Service>(_ service: S.Type) -> Never {
    ShutdownSignals.block()
    Scheduling.favourBatches()
    let configuration = Configuration.fromEnvironment()
    // The main thread belongs to the main actor; the program's work is done elsewhere.
    Task.detached { exit(await status(of: service, configuration)) }
    while true { pause() }
  }

  private static func status<S: Service>(of service: S.Type, _ configuration: Configuration) async -> CInt {
    let level: Logger.Level
    do {
      level = try logLevel(configuration)
    } catch {
      Logger(program: S.name).error("\(error)")
      return 78
    }
    let logger = Logger(program: S.name, threshold: level)
    do {
      let running = try await RunningService<S>(configuration, logger)
      logger.info("serving", ["endpoint": .string(running.endpoint)])
      await running.untilAsked(ShutdownSignals.sequence())
      logger.info("stopped")
      return 0
    } catch {
      logger.error("\(error)")
      return 78
    }
  }

  private static func logLevel(_ configuration: Configuration) throws(ConfigurationError) -> Logger.Level {
    let name = try configuration.choice(
      "ASSENT_LOG_LEVEL", default: "info", of: Logger.Level.allCases.map(\.name))
    return Logger.Level.allCases.first { $0.name == name } ?? .info
  }
}
