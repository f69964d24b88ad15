// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CallLog
internal import Configuration
internal import Events
internal import Glibc
internal import JSONRPC
internal import Lifecycle
internal import Logging
internal import Metrics
internal import MetricsEndpoint
internal import OTLP
internal import RPC
internal import RPCZeroMQ
internal import SQLStore
internal import SQLStoreDrivers
internal import ServiceKit
internal import SettingsContracts

/// A service with its store, its sockets and its background work.
final class RunningService<S: Service>: Sendable {
  let endpoint: String
  private let logger: Logger
  private let store: any SQLStore
  private let thread: SocketThread
  private let server: ZeroMQServer
  private let dispatcher: Dispatcher
  private let health: Health
  /// Nil where no traces are exported.
  private let exporter: SpanExporter?
  private let background: Task<Void, Never>
  /// From the first signal until calls are refused.
  private let drainSeconds: Int

  /// Opens the store, connects to the peers, binds the endpoint and serves.
  /// - Throws: what says that the configuration or the data cannot be used.
  init(_ configuration: Configuration, _ logger: Logger) async throws {
    self.logger = logger
    let bus = BusConfiguration(configuration)
    endpoint = try bus.ownEndpoint(of: S.name)
    drainSeconds = try bus.drainSeconds()

    let metrics = MetricsRegistry()
    store = try Self.openStore(configuration, logger)
    try store.migrate(Ledger.migrations + S.migrations)
    StoreMetrics.register(store, in: metrics)
    ProcessMetrics.register(in: metrics)
    let ledger = try await Ledger(store: store, source: S.name, subscribers: S.subscribers, logger: logger)

    thread = try SocketThread()
    let security = try await BusSecurity.configured(
      by: configuration, for: .service, on: thread, logger, metrics: metrics)
    var transports: [String: any ClientTransport] = [:]
    // audit-service subscribes to itself, as to every other.
    for peer in ServiceMap.services where peer != S.name || S.subscribers.contains(peer) {
      transports[peer] = try await ZeroMQClient.connect(
        try bus.endpoint(of: peer), on: thread, security: security, server: .service(peer), metrics: metrics)
    }
    let peers = Peers(as: S.name, transports)
    let service = try await S(
      ServiceEnvironment(
        store: store, ledger: ledger, logger: logger, peers: peers, configuration: configuration, metrics: metrics))

    var router = MethodRouter()
    service.register(on: &router)
    health = Health()
    metrics.reading("assent_ready", "1: this program should get traffic") { [health] in
      health.status == .serving ? 1 : 0
    }
    let storeGuard = Self.storeGuard(service, ledger, peers, health, logger, metrics)
    storeGuard?.register(on: &router)
    let archiveGuard = storeGuard == nil ? ArchiveGuard(store, health, logger) : nil
    archiveGuard?.register(on: &router)
    StoreCopies(store, logger).register(on: &router)
    let store = store
    exporter = try SpanExporter.configured(by: configuration, program: S.name, metrics, logger)
    let log = CallLog(logger, try SubjectRefs(configuration))
    dispatcher = Dispatcher(
      router, title: S.name, health: health, metrics: metrics, tracer: exporter, executor: thread.executor,
      onTurnEnded: { store.turnEnded() },
      onFailure: { method, context, error in Self.log(error, method, context, in: log) })
    _ = try await MetricsEndpoint.open(configuration, metrics, on: thread) { [health] in health.status == .serving }
    // Health can be asked at once. Calls are taken when it is known that the store is not older than it should be.
    health.setOpening()
    server = try await ZeroMQServer.bind(endpoint, dispatcher, on: thread, security: security, metrics: metrics)
    try await storeGuard?.open()
    try await archiveGuard?.open()

    let relay = Relay(ledger, metrics: metrics) { subscriber in try peers.client(of: subscriber) }
    background = Task.detached {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          if let storeGuard { await storeGuard.run { await relay.run() } } else { await relay.run() }
        }
        group.addTask {
          do {
            try await service.run()
          } catch is CancellationError {
          } catch {
            logger.error("background work ended", ["type": .string("\(type(of: error))")])
          }
        }
      }
    }
  }

  /// Nil for audit-service, which is whom the others ask.
  private static func storeGuard(
    _ service: S, _ ledger: Ledger, _ peers: Peers, _ health: Health, _ logger: Logger, _ metrics: MetricsRegistry
  ) -> StoreGuard? {
    guard S.name != Ledger.archive else { return nil }
    let recovery = Recovery(
      ledger, archive: EventArchive { try peers.client(of: Ledger.archive) },
      statements: { try service.statements(replaying: $0) }, rebase: service.rebase,
      sources: ServiceMap.sources(of: S.name), take: { try await service.take($0) },
      erase: { service.statements(erasing: $0) },
      conclude: { service.statements(concludingAt: $0) })
    return StoreGuard(of: S.name, recovery, health, logger, metrics) { try await service.begin() }
  }

  /// Serves until the first signal. Then says that it will stop, so that callers go elsewhere; takes calls for as long as
  /// callers may not know of another replica yet; refuses new ones, finishes what runs and lets go of everything.
  func untilAsked(_ signals: AsyncStream<CInt>) async {
    for await _ in signals { break }
    health.setDraining()
    logger.info("draining", ["seconds": .integer(Int64(drainSeconds))])
    try? await Task.sleep(for: .seconds(drainSeconds))
    health.setRefusing()
    await server.finish(by: .after(milliseconds: 10_000))
    background.cancel()
    await background.value
    await thread.stop()
    exporter?.stop(grace: 5_000)
    store.close()
  }

  /// An error's text may hold personal data; its type does not, nor do codes and reasons, nor what the store says.
  private static func log(_ error: any Error, _ method: String, _ context: CallContext, in log: CallLog) {
    let known = error as? RPCError
    let isFault = known == nil && !(error is CancellationError) || known?.code == .internalError
    guard isFault || log.isVerbose else { return }
    let problem = known?.reason ?? (error as? SQLStoreError)?.description ?? "\(type(of: error))"
    log.failed(
      isFault ? .error : .debug, method, status: (known?.code ?? .internalError).status, problem: problem,
      principal: context.principal, requestId: context.requestId, trace: context.trace)
  }

  private static func openStore(_ configuration: Configuration, _ logger: Logger) throws -> any SQLStore {
    let location = try StoreConfiguration.location(configuration, service: S.name)
    return try location.open { error in
      logger.error("the outcome of a commit is unknown; ending, so that a new start reads what is on the disk")
      _exit(EX_IOERR)
    }
  }
}
