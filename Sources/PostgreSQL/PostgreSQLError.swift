// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CPostgreSQL

/// PostgreSQL, or the way to it, refused something. `message` names tables, constraints and settings, never values and
/// never a password.
public struct PostgreSQLError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Five characters (PostgreSQL's manual, appendix A); nil when it is libpq that failed: the connection is gone.
  public let sqlState: String?
  public let message: String

  public init(sqlState: String?, message: String) {
    self.sqlState = sqlState
    self.message = message
  }

  /// Of a failed statement.
  static func of(_ result: OpaquePointer?) -> PostgreSQLError {
    func field(_ code: UnicodeScalar) -> String? {
      PQresultErrorField(result, CInt(code.value)).map { String(cString: $0) }
    }
    guard let state = field("C") else { return PostgreSQLError(sqlState: nil, message: "the connection was lost") }
    // Class 22 (data exceptions) quotes the value that was refused.
    let primary = state.hasPrefix("22") ? "a value was refused" : field("M") ?? "no message"
    return PostgreSQLError(sqlState: state, message: primary)
  }

  /// Of the connection itself. libpq says host, port, user and the reason.
  static func of(connection: OpaquePointer?) -> PostgreSQLError {
    let text = connection.flatMap { PQerrorMessage($0) }.map { String(cString: $0) } ?? "out of memory"
    let line = text.split(whereSeparator: \.isNewline).joined(separator: "; ")
    return PostgreSQLError(sqlState: nil, message: line.isEmpty ? "the connection was lost" : line)
  }

  /// The two characters that say what kind of failure it is.
  public var stateClass: Substring { (sqlState ?? "").prefix(2) }

  /// The session is over, or is ending: lost, shut down, or asked to wait for a server that starts.
  public var isConnectionLost: Bool {
    guard let sqlState else { return true }
    // 25P03 idle in a transaction too long, 57P01 … 57P05 shut down, restarting, idle too long.
    return stateClass == "08" || sqlState == "25P03" || sqlState.hasPrefix("57P0")
  }
  /// Not this session alone is over, for all that is known: the server has gone, or is going.
  public var endsAllSessions: Bool {
    // 57P01 is also said to one that an operator ends.
    sqlState == nil || ["57P01", "57P02", "57P03"].contains(sqlState)
  }
  /// Another transaction was in the way: serialization failure, deadlock, a lock that was not free in time.
  public var isConflict: Bool { sqlState == "40001" || sqlState == "40P01" || sqlState == "55P03" }
  /// No room, no memory, too many connections.
  public var isOutOfResources: Bool { stateClass == "53" }
  /// A unique or other constraint.
  public var isConstraint: Bool { stateClass == "23" }
  /// Something of that name was made meanwhile: schema, table or type.
  public var isDuplicateObject: Bool { ["23505", "42P06", "42P07", "42710"].contains(sqlState) }
  /// What was prepared is not there any more, or does not fit the tables any more.
  public var isStalePlan: Bool { sqlState == "26000" || sqlState == "0A000" || sqlState == "42P05" }

  public var description: String { "\(message)\(sqlState.map { " (PostgreSQL \($0))" } ?? "")" }
}
