// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// SQLite refused something. `message` is SQLite's: it names tables and columns, never values, since values are bound.
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The extended result code.
  public let code: Int32
  public let message: String

  public init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  /// The one place where a result code becomes an error.
  static func check(_ code: Int32, _ database: OpaquePointer?) throws(SQLiteError) {
    guard code != SQLITE_OK else { return }
    throw of(code, database)
  }

  static func of(_ code: Int32, _ database: OpaquePointer?) -> SQLiteError {
    // The connection's message belongs to its last failure: only when that is this one.
    if let database, sqlite3_extended_errcode(database) == code || sqlite3_errcode(database) == code {
      return SQLiteError(code: code, message: String(cString: sqlite3_errmsg(database)))
    }
    return SQLiteError(code: code, message: String(cString: sqlite3_errstr(code)))
  }

  /// Without the extension.
  private var primary: Int32 { code & 0xff }

  /// The disk or a quota is full.
  public var isFull: Bool { primary == SQLITE_FULL }
  /// Another connection holds a lock that this needs.
  public var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }
  public var isInputOutput: Bool { primary == SQLITE_IOERR }
  public var isOutOfMemory: Bool { primary == SQLITE_NOMEM }
  public var isConstraint: Bool { primary == SQLITE_CONSTRAINT }
  /// The file is damaged, or no database at all.
  public var isCorrupt: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }
  public var isCannotOpen: Bool { primary == SQLITE_CANTOPEN || primary == SQLITE_PERM }

  public var description: String { "\(message) (SQLite \(code))" }
}
