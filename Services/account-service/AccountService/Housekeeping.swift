// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Logging
internal import RPC
internal import SQLStore

/// Removes sessions that are over: their refresh time has passed and so has every token's.
struct Housekeeping: Sendable {
  static let interval = Duration.seconds(3600)

  let store: any SQLStore
  let clock: any WallClock
  let logger: Logger

  func run() async throws {
    while true {
      try await Task.sleep(for: Self.interval)
      do {
        try await sweep()
      } catch let error as SQLStoreError {
        logger.warning("sessions that are over stay for now", ["cause": .string(error.description)])
      }
    }
  }

  /// - Throws: `SQLStoreError`.
  func sweep() async throws {
    let now = clock.now()
    for app in try await store.read(SQLStatement("SELECT app FROM app ORDER BY app")) {
      let app = app.text(0)
      try await store.write([]) { _, writes in writes.add(SessionRows.removeOver(app: app, now: now)) }
    }
  }
}
