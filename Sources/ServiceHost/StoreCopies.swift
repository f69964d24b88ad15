// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import Logging
internal import RPC
internal import SQLStore
internal import SettingsContracts
internal import Threading

/// `rpc.backup`: copies of the store, made while it serves. A copy says of itself that it is one, so a service that is
/// started on it asks audit-service before it answers anybody.
final class StoreCopies: Sendable {
  private enum Job {
    case running
    case done(Int64)
    case failed(RPCError)
  }
  private let store: any SQLStore
  private let logger: Logger
  /// By path.
  private let jobs = Lock<[String: Job]>([:])

  init(_ store: any SQLStore, _ logger: Logger) {
    self.store = store
    self.logger = logger
  }

  func register(on router: inout MethodRouter) {
    router.on(RecoverMethods.backup) { [self] params, _ in try backup(params.path) }
  }

  private func backup(_ path: String) throws(RPCError) -> BackupResult {
    let (answer, mustStart) = jobs.withLock { jobs -> (Result<BackupResult, RPCError>, Bool) in
      switch jobs[path] {
      case .running: return (.success(BackupResult(state: .running, bytes: 0)), false)
      case .done(let bytes):
        jobs[path] = nil
        return (.success(BackupResult(state: .done, bytes: bytes)), false)
      case .failed(let error):
        jobs[path] = nil
        return (.failure(error), false)
      case nil:
        jobs[path] = .running
        return (.success(BackupResult(state: .running, bytes: 0)), true)
      }
    }
    if mustStart { Task.detached { await self.copy(to: path) } }
    return try answer.get()
  }

  private func copy(to path: String) async {
    let job: Job
    do {
      let bytes = try await store.copy(to: path, changing: [RestoreMark.marking, ArchiveLoss.forgetting])
      logger.info("the store was copied", ["bytes": .integer(bytes)])
      job = .done(bytes)
    } catch {
      let problem = (error as? SQLStoreError)?.description ?? "\(type(of: error))"
      logger.error("the store was not copied", ["problem": .string(problem)])
      job = .failed(.failedPrecondition("no copy was made: \(problem)", reason: "notCopied"))
    }
    jobs.withLock { $0[path] = job }
  }
}
