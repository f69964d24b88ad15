// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import Logging
internal import Metrics
internal import RPC
internal import SettingsContracts
internal import Threading

/// Keeps a service from serving out of a store that is older than what audit-service knows of it, and runs the recovery
/// that an operator asks for (`rpc.recover`).
///
/// The store is compared before the service takes calls and every half minute from then on; no call pays for it. Where
/// audit-service cannot be asked, a service goes on, unless its store says of itself that it is a restored copy. Its relay
/// waits for the answer: what a store that was restored all the same has written by then must not be taken for what was
/// written in its place before.
final class StoreGuard: Sendable {
  /// How long a start waits for audit-service's answer, in milliseconds.
  private static let startMilliseconds = 2_000
  private static let betweenChecksMilliseconds: Int64 = 30_000
  private static let whileUnsureMilliseconds: Int64 = 500
  private static let tickMilliseconds = 250
  /// How often a replica looks for what others did to the store they share.
  private static let replicaMilliseconds: Int64 = 1_000
  /// Other services' events that are this old and not here are fetched.
  private static let lagMilliseconds: Int64 = 10_000

  private let service: String
  private let recovery: Recovery
  private let health: Health
  private let logger: Logger
  /// The first time that the store is known to be good: writes of a first start.
  private let begin: @Sendable () async throws -> Void
  private let conflicts: Gauge
  private let state = Lock(State())

  private struct State {
    var need: RecoveryNeed?
    /// audit-service was asked once.
    var isChecked = false
    var hasBegun = false
    /// It has begun, and nothing has closed it since.
    var isServing = false
    /// The first look is over.
    var isOpen = false
    var waitingForOpen: [CheckedContinuation<Void, Never>] = []
    var job: Job?
  }

  private enum Job {
    case running(RecoveryProgress)
    case done(RecoveryProgress)
    case failed(RPCError)
  }

  init(
    of service: String, _ recovery: Recovery, _ health: Health, _ logger: Logger, _ metrics: MetricsRegistry,
    begin: @escaping @Sendable () async throws -> Void
  ) {
    self.service = service
    self.recovery = recovery
    self.health = health
    self.logger = logger
    self.begin = begin
    conflicts = metrics.gauge(
      "assent_store_behind_audit", "1 while the store is older than what audit-service knows of it, and not served from"
    )
  }

  func register(on router: inout MethodRouter) {
    router.on(RecoverMethods.recover) { [self] _, _ in
      await opened()
      return try recover()
    }
  }

  /// The first look.
  func open() async throws {
    let need: RecoveryNeed?
    do {
      need = try await obstacle(within: .after(milliseconds: Self.startMilliseconds))
    } catch {
      logger.warning("audit-service cannot be asked whether this store is up to date", Self.problem(error))
      need = try await recovery.isMarked() ? .restored : nil
    }
    try await settle(need)
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waitingForOpen = [] }
      return state.waitingForOpen
    }
    for one in waiting { one.resume() }
  }

  /// Until the first look is over.
  private func opened() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waitingForOpen.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  /// Looks again and again until its task is cancelled, and runs `relay` while the store is known to be good.
  func run(_ relay: @escaping @Sendable () async -> Void) async {
    var relaying: Task<Void, Never>?
    var checkedAt = MonotonicClock.milliseconds()
    var lookedAt = checkedAt
    while !Task.isCancelled {
      if recovery.isContested, state.withLock({ $0.need == nil }) { try? await settle(.contested) }
      let isGood = state.withLock { $0.need == nil && $0.isChecked }
      if isGood, relaying == nil { relaying = Task.detached { await relay() } }
      if !isGood, let task = relaying {
        task.cancel()
        await task.value
        relaying = nil
      }
      try? await Task.sleep(for: .milliseconds(Self.tickMilliseconds))
      let now = MonotonicClock.milliseconds()
      if isGood, !recovery.hasOneWriter, now - lookedAt >= Self.replicaMilliseconds {
        lookedAt = now
        await followReplicas()
      }
      let pause = isGood ? Self.betweenChecksMilliseconds : Self.whileUnsureMilliseconds
      guard now - checkedAt >= pause else { continue }
      checkedAt = now
      await check()
    }
    relaying?.cancel()
    await relaying?.value
  }

  /// - Throws: `RPCError` when audit-service cannot be asked.
  private func obstacle(within deadline: Deadline) async throws -> RecoveryNeed? {
    let need: RecoveryNeed?
    do {
      let isFirst = state.withLock { !$0.isChecked }
      need = try await recovery.obstacle(within: deadline, looksThoroughly: isFirst)
    } catch let error as RPCError where error.code == .methodNotFound {
      // Of a version that keeps no events: nothing can be known of it, or recovered from it.
      need = try await recovery.isMarked() ? .restored : nil
    }
    state.withLock { $0.isChecked = true }
    return need
  }

  /// Another replica began a recovery, or ended one.
  private func followReplicas() async {
    guard let state = try? await recovery.state() else { return }
    if state.isMarked {
      try? await settle(.restored)
    } else if state.epoch != recovery.epoch {
      try? await recovery.adoptEpoch()
    }
  }

  private func check() async {
    let isAtWork = state.withLock { state in if case .running = state.job { true } else { false } }
    guard !isAtWork else { return }
    do {
      try await settle(try await obstacle(within: .after(milliseconds: 10_000)))
      guard health.status == .serving else { return }
      let taken = try await recovery.catchUp(olderThan: Self.lagMilliseconds)
      if taken > 0 {
        logger.warning(
          "other services' events were missing and are here now: was this store restored?",
          ["events": .integer(Int64(taken))])
      }
    } catch {
      logger.debug("audit-service cannot be asked whether this store is up to date", Self.problem(error))
    }
  }

  /// Serves, or does not.
  /// - Throws: what the store says while it cannot be served from although it is good. Nothing has changed then, so the next
  ///   look tries again.
  private func settle(_ need: RecoveryNeed?) async throws {
    if let need { return close(because: need) }
    let (before, hasBegun, isServing) = state.withLock { ($0.need, $0.hasBegun, $0.isServing) }
    guard !isServing else { return }
    do {
      if !hasBegun { try await begin() }
      state.withLock { $0.hasBegun = true }
      // Another replica may have recovered it.
      if before != nil { try await recovery.adoptEpoch() }
    } catch {
      logger.warning("the store is good, and does not let this service serve yet", Self.problem(error))
      throw error
    }
    serve(after: before)
  }

  private func close(because need: RecoveryNeed) {
    let isNews = state.withLock { state in
      guard need != state.need else { return false }
      state.need = need
      state.isServing = false
      conflicts.set(1)
      health.close(because: need.refusal(of: service))
      return true
    }
    guard isNews else { return }
    logger.error("not serving: \(need.explanation(of: service))", ["reason": .string(need.rawValue)])
  }

  /// - Parameter need: what it was closed because of, and is not any more; another one stands.
  private func serve(after need: RecoveryNeed?) {
    let isServing = state.withLock { state in
      guard state.need == need else { return false }
      state.need = nil
      state.isServing = true
      conflicts.set(0)
      health.setServing()
      return true
    }
    if isServing, need != nil { logger.info("serving again") }
  }

  // MARK: Recovery

  /// Begins a recovery, or tells how far the one at work has come.
  private func recover() throws(RPCError) -> RecoverResult {
    let answer = state.withLock { state -> Result<(RecoverResult, mustStart: Bool), RPCError> in
      switch state.job {
      case .running(let progress): return .success((RecoverResult(.running, progress), false))
      case .done(let progress) where state.need == nil:
        state.job = nil
        return .success((RecoverResult(.done, progress), false))
      case .failed(let error):
        state.job = nil
        return .failure(error)
      case .done, nil:
        guard state.need != nil else { return .success((RecoverResult(.notNeeded, RecoveryProgress()), false)) }
        state.job = .running(RecoveryProgress())
        return .success((RecoverResult(.running, RecoveryProgress()), true))
      }
    }
    let (result, mustStart) = try answer.get()
    if mustStart { Task.detached { await self.perform() } }
    return result
  }

  private func perform() async {
    logger.info("recovery begins")
    do {
      let progress = try await recovery.run { progress in self.state.withLock { $0.job = .running(progress) } }
      logger.info(
        "recovery ended",
        [
          "replayed": .integer(Int64(progress.replayed)), "taken": .integer(Int64(progress.taken)),
          "rebased": .integer(Int64(progress.rebased)), "erased": .integer(Int64(progress.erased)),
        ])
      try await settleSoon()
      state.withLock { $0.job = .done(progress) }
    } catch {
      logger.error("recovery failed", Self.problem(error))
      state.withLock { $0.job = .failed(Self.told(error)) }
    }
  }

  /// No look is taken while a recovery is at work, so it tries again itself for a while. Who asks for the recovery hears what
  /// is in the way then, and the looks go on trying.
  private func settleSoon() async throws {
    let end = Deadline.after(milliseconds: 10_000)
    while true {
      do { return try await settle(nil) } catch { if end.isPast { throw error } }
      try? await Task.sleep(for: .milliseconds(Self.whileUnsureMilliseconds))
    }
  }

  private static func told(_ error: any Error) -> RPCError {
    switch error {
    case let error as RecoveryProblem: .failedPrecondition(error.description, reason: "cannotRecover")
    case let error as RPCError: error
    case let error as any RPCErrorConvertible: error.rpcError
    default: .internalError(processed: .unknown)
    }
  }

  /// Without anything that may be personal.
  private static func problem(_ error: any Error) -> [String: JSONValue] {
    switch error {
    case let error as RPCError: ["problem": .string("\(error.code.status) \(error.reason)")]
    case let error as RecoveryProblem: ["problem": .string(error.description)]
    default: ["problem": .string("\(type(of: error))")]
    }
  }
}

extension RecoveryNeed {
  func explanation(of service: String) -> String {
    let what =
      switch self {
      case .behind: "the store is older than what audit-service knows: it was restored from a backup"
      case .restored: "the store was restored from a backup and has not recovered yet"
      case .contested: "audit-service has other events in the place of this store's: two histories exist"
      }
    return "\(what); an operator runs: assentctl recover \(service)"
  }

  func refusal(of service: String) -> RPCError { .failedPrecondition(explanation(of: service), reason: rawValue) }
}

extension RecoverResult {
  fileprivate init(_ state: State, _ progress: RecoveryProgress) {
    self.init(
      state: state, replayed: progress.replayed, taken: progress.taken, rebased: progress.rebased,
      erased: progress.erased, app: progress.app)
  }
}
