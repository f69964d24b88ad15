// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import Logging
internal import RPC
internal import SQLStore
internal import SettingsContracts

/// What `StoreGuard` is to the other services, for audit-service: it has nobody to ask and nothing to recover from, so it
/// serves what it has, says that it was restored, and waits for an operator to accept what is lost.
final class ArchiveGuard: Sendable {
  private let store: any SQLStore
  private let health: Health
  private let logger: Logger

  init(_ store: any SQLStore, _ health: Health, _ logger: Logger) {
    self.store = store
    self.health = health
    self.logger = logger
  }

  func register(on router: inout MethodRouter) {
    router.on(RecoverMethods.recover) { [self] _, _ in try await accept() }
  }

  func open() async throws {
    health.setServing()
    guard try await ArchiveLoss.isSuspected(in: store) else { return }
    let remark =
      "the log was restored from a backup: entries made since are missing, and what does not follow is held back by its "
      + "service; an operator restores a newer backup, or accepts the loss: assentctl recover audit-service"
    logger.error(remark)
    health.remark = remark
  }

  private func accept() async throws -> RecoverResult {
    try await ArchiveLoss.accept(in: store)
    logger.warning(
      "an operator accepts that entries are missing: each place where that is so gets an entry that says so")
    health.remark = nil
    return RecoverResult(state: .done, replayed: 0, taken: 0)
  }
}
