// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// A connection to a database file. Used by one thread at a time; its owner sees to that.
public final class Connection {
  public enum Access: Sendable {
    case readOnly
    case readWrite
    /// Read and write, and make the file when there is none.
    case create
  }

  let handle: OpaquePointer
  private var statements = StatementCache()
  private let logPages: UnsafeMutablePointer<Int32>

  /// Once in a process, before the first connection.
  private static let started: Int32 = {
    let code = assent_sqlite_start()
    return code == SQLITE_OK ? LogVFS.register() : code
  }()

  /// - Parameter gathersLog: writes a commit's pages to the write-ahead log by one call in place of two each. Whoever
  ///   asks for it sets `synchronous` to FULL or EXTRA, see `LogVFS`.
  public init(path: String, _ access: Access, gathersLog: Bool = false) throws(SQLiteError) {
    try SQLiteError.check(Self.started, nil)
    let flags =
      switch access {
      case .readOnly: SQLITE_OPEN_READONLY
      case .readWrite: SQLITE_OPEN_READWRITE
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    var database: OpaquePointer?
    let code = sqlite3_open_v2(
      path, &database, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, gathersLog ? LogVFS.name : nil)
    guard code == SQLITE_OK, let database else {
      let error = SQLiteError.of(code, database)
      sqlite3_close_v2(database)
      throw error
    }
    handle = database
    logPages = .allocate(capacity: 1)
    logPages.initialize(to: 0)
  }

  deinit {
    statements.removeAll()
    sqlite3_close_v2(handle)
    logPages.deallocate()
  }

  /// Runs statements of any number that return nothing worth reading: pragmas, migrations.
  public func execute(_ sql: String) throws(SQLiteError) {
    try SQLiteError.check(sqlite3_exec(handle, sql, nil, nil, nil), handle)
  }

  /// The statement prepared from this literal, kept for the connection's life and ready to be bound.
  public func statement(_ sql: StaticString) throws(SQLiteError) -> Statement {
    if let known = statements.find(sql.utf8Start) { return known }
    let statement = try Statement(UnsafeBufferPointer(start: sql.utf8Start, count: sql.utf8CodeUnitCount), of: self)
    statements.add(sql.utf8Start, statement)
    return statement
  }

  /// A statement of text that is used once.
  public func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    let bytes = Array(sql.utf8)
    var result: Result<Statement, SQLiteError>?
    bytes.withUnsafeBufferPointer { bytes in
      result = Result { () throws(SQLiteError) in try Statement(bytes, of: self) }
    }
    return try result!.get()
  }

  /// Runs a statement without parameters to its end.
  public func run(_ sql: StaticString) throws(SQLiteError) { try statement(sql).run() }

  /// False also when an error has made SQLite roll the transaction back by itself.
  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// How long a statement waits for another connection's lock.
  public func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  /// Keeps count of the write-ahead log's pages after each commit, in place of SQLite's own checkpoints.
  public func countLogPages() {
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        context!.assumingMemoryBound(to: Int32.self).pointee = pages
        return SQLITE_OK
      }, logPages)
  }

  /// Pages in the write-ahead log after this connection's last commit.
  public var pagesInLog: Int { Int(logPages.pointee) }

  /// Copies what no reader still needs from the log to the database file, without waiting for anybody.
  public func checkpoint() throws(SQLiteError) {
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    if code == SQLITE_BUSY { return }
    try SQLiteError.check(code, handle)
  }

  /// Copies all of the log and empties it, waiting for readers as long as the busy timeout.
  /// - Returns: whether it did; false when readers stayed.
  @discardableResult
  public func truncateLog() throws(SQLiteError) -> Bool {
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    if code & 0xff == SQLITE_BUSY { return false }
    try SQLiteError.check(code, handle)
    return true
  }
}
