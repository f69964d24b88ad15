// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Configuration
public import Events
public import JSONRPC
public import Logging
public import Metrics
public import RPC
public import SQLStore

/// One of Assent's services. It sees a store, a ledger, peers and a router; which drivers and sockets stand behind them
/// is the host's choice.
public protocol Service: Sendable {
  /// `consent-service`: its endpoint, its source in events, its actor's name.
  static var name: String { get }
  /// Of its own tables; the ledger's are applied before them.
  static var migrations: [Migration] { get }
  /// The services that get each of its events, in their inbox.
  static var subscribers: [String] { get }

  /// Loads what it keeps in memory. The store is migrated.
  init(_ environment: ServiceEnvironment) async throws

  func register(on router: inout MethodRouter)

  /// Writes that a first start needs. Runs before the service serves, once its store is known to be up to date.
  func begin() async throws

  /// Its long-lived parts. Ends when its task is cancelled.
  func run() async throws

  // What brings a store up to date that was restored from a backup.

  /// The statements of an event of this service's own, as the write that made it ran them.
  func statements(replaying event: Event) throws -> [SQLStatement]
  /// How two histories of one subject are joined.
  var rebase: Rebase { get }
  /// Takes other services' events, as `events.deliver` does.
  func take(_ events: [Event]) async throws -> [Acceptance]
  /// Removes what its own tables hold of a subject that was erased since the backup.
  func statements(erasing subject: Subject) -> [SQLStatement]
  /// What is done when all has been replayed, in one transaction with the store's new epoch.
  func statements(concludingAt now: Timestamp) -> [SQLStatement]
}

extension Service {
  public static var subscribers: [String] { ["audit-service"] }
  public func begin() async throws {}
  public func run() async throws {}
  public func statements(replaying event: Event) throws -> [SQLStatement] { [] }
  public var rebase: Rebase { .asTheyAre }
  public func take(_ events: [Event]) async throws -> [Acceptance] { [] }
  public func statements(erasing subject: Subject) -> [SQLStatement] { [] }
  public func statements(concludingAt now: Timestamp) -> [SQLStatement] { [] }
}

/// What a service is given.
public struct ServiceEnvironment: Sendable {
  public var store: any SQLStore
  public var ledger: Ledger
  public var clock: any WallClock
  public var logger: Logger
  public var peers: Peers
  public var configuration: Configuration
  public var metrics: MetricsRegistry

  public init(
    store: any SQLStore, ledger: Ledger, clock: any WallClock = SystemClock(), logger: Logger, peers: Peers,
    configuration: Configuration, metrics: MetricsRegistry = MetricsRegistry()
  ) {
    self.store = store
    self.ledger = ledger
    self.clock = clock
    self.logger = logger
    self.peers = peers
    self.configuration = configuration
    self.metrics = metrics
  }
}
