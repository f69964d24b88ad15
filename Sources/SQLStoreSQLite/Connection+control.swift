// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SQLStore
internal import SQLite

extension Connection {
  /// BEGIN, COMMIT, SAVEPOINT and the like.
  func control(_ sql: StaticString) throws(SQLStoreError) {
    do throws(SQLiteError) { try run(sql) } catch { throw SQLStoreError(error) }
  }

  /// COMMIT.
  /// - Throws: `outcomeUnknown` when an I/O error leaves open whether the log reached the disk; `unavailable` when it
  ///   cannot have: no room, no memory, a lock.
  func commit() throws(SQLStoreError) {
    do throws(SQLiteError) {
      try run("COMMIT")
    } catch {
      let isKnown = error.isFull || error.isBusy || error.isOutOfMemory || error.isConstraint
      throw SQLStoreError(isKnown ? .unavailable : .outcomeUnknown, "COMMIT: \(error.message)", code: Int(error.code))
    }
  }
}
