// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SQLStore
internal import SQLite
internal import Threading

/// The database file and this process's claim to it: an flock on `<file>-lock`, beside it so that readers of the same
/// process, and SQLite's own locks, stay as they are. The kernel lets go of it with the process, however that ends.
final class DataFile: Sendable {
  let path: String
  private let lock: Lock<CInt>

  /// - Throws: `SQLStoreError` when the file cannot be made or opened, is in use by another process, or is no database.
  init(path: String) throws(SQLStoreError) {
    self.path = path
    let lock = open(path + "-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw Self.failure("cannot open \(path)-lock", errno) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(lock)
      throw code == EWOULDBLOCK
        ? SQLStoreError(.unavailable, "\(path) is in use by another process")
        : Self.failure("cannot lock \(path)", code)
    }
    self.lock = Lock(lock)
    // Made here rather than by SQLite, so that it and its log are the owner's alone.
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      let code = errno
      release()
      throw Self.failure("cannot open \(path)", code)
    }
    close(file)
  }

  deinit { release() }

  /// Gives the file up to whoever asks next.
  func release() {
    lock.withLock { lock in
      if lock >= 0 { close(lock) }
      lock = -1
    }
  }

  /// The connection that writes. Its settings are the store's guarantees.
  ///
  /// Pages of a new file are of 8 KiB: a group commit changes a few hundred of them, and what each costs in the log, in the
  /// checkpoint and in the trees depends little on its size. A file that is there keeps its own.
  func writer() throws(SQLStoreError) -> Connection {
    let connection = try opened(.readWrite, gathersLog: true) { connection throws(SQLiteError) in
      try connection.execute(
        """
        PRAGMA page_size = 8192;
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        PRAGMA secure_delete = ON;
        PRAGMA wal_autocheckpoint = 0;
        PRAGMA journal_size_limit = 67108864;
        PRAGMA temp_store = MEMORY;
        PRAGMA cache_size = -32768;
        PRAGMA trusted_schema = OFF;
        """)
      connection.countLogPages()
    }
    try check(connection)
    return connection
  }

  func reader() throws(SQLStoreError) -> Connection {
    try opened(.readOnly) { connection throws(SQLiteError) in
      try connection.execute("PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -2048")
    }
  }

  private func opened(
    _ access: Connection.Access, gathersLog: Bool = false, _ prepare: (Connection) throws(SQLiteError) -> Void
  ) throws(SQLStoreError) -> Connection {
    do throws(SQLiteError) {
      let connection = try Connection(path: path, access, gathersLog: gathersLog)
      connection.setBusyTimeout(milliseconds: 5_000)
      try prepare(connection)
      return connection
    } catch {
      throw error.isCorrupt
        ? SQLStoreError(.failed, "\(path) is damaged or no SQLite database: \(error.message)", code: Int(error.code))
        : SQLStoreError(
          SQLStoreError(error).kind, "cannot open \(path): \(error.message)", code: Int(error.code))
    }
  }

  /// A pragma that SQLite cannot honour is ignored without a word, so the two that durability rests on are read back.
  private func check(_ connection: Connection) throws(SQLStoreError) {
    let journal = try connection.rows(SQLStatement("PRAGMA journal_mode"))[0].text(0)
    let synchronous = try connection.rows(SQLStatement("PRAGMA synchronous"))[0].int(0)
    guard journal == "wal", synchronous == 2 else {
      throw SQLStoreError(.failed, "\(path): write-ahead log \(journal), synchronous \(synchronous); wal and 2 needed")
    }
  }

  private static func failure(_ what: String, _ code: CInt) -> SQLStoreError {
    SQLStoreError(.unavailable, "\(what): \(String(cString: strerror(code)))", code: Int(code))
  }
}
