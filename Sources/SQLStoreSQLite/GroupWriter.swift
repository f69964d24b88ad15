// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SQLStore
internal import SQLite
internal import Synchronization
internal import Threading

/// The thread that writes. Whatever queued while it synced the last commit is the next group: its members share one
/// transaction and one sync, and nobody waits for company.
///
/// The first member that stays needs no savepoint (when it fails, nothing else is lost with the transaction); later ones
/// have one each, so that a refused member leaves the others. Nobody, refused or not, hears before the COMMIT: what a
/// member saw of the others might still vanish.
final class GroupWriter: Sendable {
  /// Members of one group. More than queue in practice; bounds how long the first waits.
  private static let most = 512
  /// Bytes of the log, since it was last copied to the database, after which it is again. What is changed often is copied
  /// the less often; a start after a crash reads as much.
  private static let bytesBeforeCheckpoint = 32 << 20
  /// Bytes after which readers are waited for, so that the log can start over.
  private static let bytesBeforeTruncation = 256 << 20

  private enum Order: Sendable {
    case write(WriteJob)
    case stop(@Sendable () -> Void)
  }

  private let pageBytes: Int
  private let orders = Mailbox<Order>(blocking: true)
  private let isOpen = Lock(true)
  private let commits: Commits
  private let stamps: WriteStamps
  private let onOutcomeUnknown: @Sendable (SQLStoreError) -> Void
  private let counters = Lock(SQLStoreStatistics())
  private let begun = Atomic<Int>(0)

  init(
    _ file: DataFile, commits: Commits, stamps: WriteStamps,
    onOutcomeUnknown: @escaping @Sendable (SQLStoreError) -> Void
  ) throws {
    self.commits = commits
    self.stamps = stamps
    self.onOutcomeUnknown = onOutcomeUnknown
    let writer = try file.writer()
    pageBytes = Int(try writer.rows(SQLStatement("PRAGMA page_size"))[0].int(0))
    let handover = Handover(writer)
    startThread(named: "sqlite-writer") {
      let stopping = self.run(handover.take())
      // The connection is gone by now, and with it the log if it was the last.
      for done in stopping { done() }
    }
  }

  var statistics: SQLStoreStatistics {
    var statistics = counters.withLock { $0 }
    statistics.waiting = max(0, begun.load(ordering: .relaxed) - statistics.writes - statistics.rollbacks)
    return statistics
  }

  func write<R: Sendable>(
    _ reads: [SQLStatement], _ decide: @escaping @Sendable (_ rows: [SQLRows], _ writes: inout SQLWrites) throws -> R
  ) async throws -> R {
    try await withUnsafeThrowingContinuation { caller in
      let job = TypedWriteJob(reads, decide, caller: caller)
      let taken: Bool = isOpen.withLock { isOpen in
        if isOpen {
          begun.add(1, ordering: .relaxed)
          orders.add(.write(job))
        }
        return isOpen
      }
      if !taken { caller.resume(throwing: SQLStoreError.closed) }
    }
  }

  /// Finishes what is queued, then calls `done` and ends the thread.
  func stop(_ done: @escaping @Sendable () -> Void) {
    let wasOpen: Bool = isOpen.withLock { isOpen in
      defer { isOpen = false }
      if isOpen { orders.add(.stop(done)) }
      return isOpen
    }
    if !wasOpen { done() }
  }

  /// Writes until told to stop.
  /// - Returns: whom to tell that it has.
  private func run(_ connection: Connection) -> [@Sendable () -> Void] {
    var queue: [Order] = []
    var next = 0
    var stopping: [@Sendable () -> Void] = []
    var group = Group(connection)
    var copied = 0
    while stopping.isEmpty || next < queue.count {
      if next == queue.count {
        queue.removeAll(keepingCapacity: true)
        next = 0
        orders.take(into: &queue)
      }
      while group.count < Self.most {
        if next == queue.count {
          // What came in meanwhile joins.
          queue.removeAll(keepingCapacity: true)
          next = 0
          orders.drain(into: &queue)
          if queue.isEmpty { break }
        }
        let order = queue[next]
        next += 1
        switch order {
        case .write(let job): group.run(job)
        case .stop(let done): stopping.append(done)
        }
      }
      do throws(SQLStoreError) {
        try finish(&group)
      } catch {
        fail(error, queue[next...])
        return stopping
      }
      copied = checkpoint(connection, copied: copied)
    }
    return stopping
  }

  /// Commits a group and tells its members.
  /// - Throws: `outcomeUnknown` after they were told that.
  private func finish(_ group: inout Group) throws(SQLStoreError) {
    guard group.count > 0 else { return }
    let result = group.commit()
    if result.writes > 0 {
      commits.add()
      group.raise(stamps)
    }
    let members = group.count
    counters.withLock { counters in
      counters.commits += result.commits
      counters.writes += result.writes
      counters.rollbacks += members - result.writes
      counters.countGroup(of: members)
    }
    GatheredWakes.gather { group.tellAll() }
    if let failure = result.failure { throw failure }
  }

  /// The log may or may not hold the last group: this process must not go on from what it remembers.
  private func fail(_ error: SQLStoreError, _ queued: ArraySlice<Order>) {
    isOpen.withLock { $0 = false }
    var rest: [Order] = []
    orders.drain(into: &rest)
    for order in queued + rest {
      switch order {
      case .write(let job):
        job.fail(SQLStoreError(.unavailable, "the store has failed"))
        job.finish()
      case .stop(let done): done()
      }
    }
    onOutcomeUnknown(error)
  }

  /// After the members were told, so that no reply waits for it. Here rather than beside the writer, since only a log that
  /// nobody appends to is ever copied whole and can start over. A failure leaves the log as it is; the next try, or the
  /// next start, copies it.
  /// - Parameter copied: pages in the log when it was last copied.
  /// - Returns: the same for the next time.
  private func checkpoint(_ connection: Connection, copied: Int) -> Int {
    let pages = connection.pagesInLog
    // Fewer than were copied: the log has started over.
    let copied = pages < copied ? 0 : copied
    guard (pages - copied) * pageBytes >= Self.bytesBeforeCheckpoint else { return copied }
    if pages * pageBytes >= Self.bytesBeforeTruncation {
      connection.setBusyTimeout(milliseconds: 50)
      _ = try? connection.truncateLog()
      connection.setBusyTimeout(milliseconds: 5_000)
    } else {
      try? connection.checkpoint()
    }
    return pages
  }
}

/// Carries the connection to its thread, which takes it once and is the only one to use it: hence the unchecked Sendable.
private final class Handover: @unchecked Sendable {
  private var connection: Connection?
  init(_ connection: Connection) { self.connection = connection }

  func take() -> Connection {
    defer { connection = nil }
    return connection!
  }
}
