// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import SQLStore
internal import Synchronization
internal import Threading

/// The embedded store: one SQLite file, owned by this process alone, one thread that writes in groups, reads beside it on
/// the threads that ask.
public final class SQLiteStore: SQLStore {
  private let file: DataFile
  private let writer: GroupWriter
  private let readers: Readers
  private let writeStamps = WriteStamps()

  /// Opens or makes the file. Its folder must exist.
  /// - Parameter onOutcomeUnknown: a COMMIT failed with an I/O error; called once, after every writer was told that its
  ///   outcome is unknown and with the store closed. It must end the process: only a new start, which reads the log from
  ///   the disk, can know. Without one the process exits at once with status 74.
  /// - Throws: `SQLStoreError`: in use by another process, not readable, damaged.
  public init(path: String, onOutcomeUnknown: (@Sendable (SQLStoreError) -> Void)? = nil) throws {
    file = try DataFile(path: path)
    let commits = Commits()
    writer = try GroupWriter(
      file, commits: commits, stamps: writeStamps,
      onOutcomeUnknown: onOutcomeUnknown ?? { _ in _exit(EX_IOERR) })
    readers = Readers(file, commits: commits)
  }

  deinit { writer.stop {} }

  public func migrate(_ migrations: [Migration]) throws {
    try Migrator(try file.writer()).apply(migrations)
  }

  public func read(_ statements: [SQLStatement]) async throws -> [SQLRows] { try readers.read(statements) }

  public func write<R: Sendable>(
    _ reads: [SQLStatement], _ decide: @escaping @Sendable (_ rows: [SQLRows], _ writes: inout SQLWrites) throws -> R
  ) async throws -> R {
    try await writer.write(reads, decide)
  }

  public func copy(to path: String, changing changes: [SQLStatement]) async throws -> Int64 {
    let source = file.path
    return try await withUnsafeThrowingContinuation { continuation in
      startThread(named: "sqlite-copy") {
        continuation.resume(
          with: Result { try DataFileCopy(of: source, to: path).write(changing: changes) })
      }
    }
  }

  public func turnEnded() { readers.turnEnded() }

  public func close() {
    // The writer's connection is the last to go: it copies the log and removes it.
    readers.close()
    let stopped = WakeEvent(blocking: true)
    writer.stop { stopped.signal() }
    stopped.clear()
    file.release()
  }

  public var stamps: WriteStamps? { writeStamps }

  public var logsWholePages: Bool { true }

  public var statistics: SQLStoreStatistics {
    var statistics = writer.statistics
    (statistics.reads, statistics.snapshots) = readers.counts
    return statistics
  }
}
