// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CPostgreSQL

/// A session with a server. Used by one thread at a time; its owner sees to that.
///
/// A connection begins blocking (`execute`). `startPipeline()` makes it one that sends without waiting: statements go
/// into a buffer (`send`, `prepare`), `synchronize()` ends a unit, `flush()` sends, `receive()` and `nextResult()` take
/// what has come back, in order (libpq's manual, "Pipeline Mode").
public final class Connection {
  private let handle: OpaquePointer

  /// Connects; blocks until that succeeded or failed.
  public init(_ parameters: ConnectionParameters) throws(PostgreSQLError) {
    let handle = parameters.withArrays { PQconnectdbParams($0, $1, 0) }
    guard let handle, PQstatus(handle) == CONNECTION_OK else {
      let error = PostgreSQLError.of(connection: handle)
      PQfinish(handle)
      throw error
    }
    // Notices go to standard error by default; they may quote values.
    PQsetNoticeReceiver(handle, { _, _ in }, nil)
    self.handle = handle
  }

  deinit { PQfinish(handle) }

  /// Runs statements of any number, blocking, outside of a pipeline.
  /// - Returns: what the last one returned, in text format.
  @discardableResult
  public func execute(_ sql: String) throws(PostgreSQLError) -> [[String?]] {
    let result = PQexec(handle, sql)
    defer { PQclear(result) }
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: break
    default: throw failure(result)
    }
    return (0..<PQntuples(result)).map { row in
      (0..<PQnfields(result)).map { column in
        PQgetisnull(result, row, column) == 0 ? String(cString: PQgetvalue(result, row, column)) : nil
      }
    }
  }

  /// Runs one statement with parameters, blocking, outside of a pipeline.
  public func query(_ sql: String, _ parameters: Parameters) throws(PostgreSQLError) -> QueryResult {
    let result = parameters.withArrays { types, values, lengths, formats in
      PQexecParams(handle, sql, CInt(parameters.count), types, values, lengths, formats, 1)
    }
    guard let result else { throw .of(connection: handle) }
    let answer = QueryResult(result)
    if case .failed(let error) = answer.status { throw error }
    return answer
  }

  public func startPipeline() throws(PostgreSQLError) {
    guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw .of(connection: handle) }
  }

  public var descriptor: CInt { PQsocket(handle) }

  /// Prepares a statement under `name` for parameters of these types.
  public func prepare(
    _ name: UnsafePointer<CChar>, _ sql: UnsafePointer<CChar>, _ types: [Parameters.DataType]
  ) throws(PostgreSQLError) {
    try check(PQsendPrepare(handle, name, sql, CInt(types.count), types.map(\.rawValue)))
  }

  /// Runs what was prepared under `name`.
  public func send(prepared name: UnsafePointer<CChar>, _ parameters: Parameters) throws(PostgreSQLError) {
    try check(
      parameters.withArrays { _, values, lengths, formats in
        PQsendQueryPrepared(handle, name, CInt(parameters.count), values, lengths, formats, 1)
      })
  }

  /// Runs a statement that is not prepared.
  public func send(_ sql: UnsafePointer<CChar>, _ parameters: Parameters) throws(PostgreSQLError) {
    try check(
      parameters.withArrays { types, values, lengths, formats in
        PQsendQueryParams(handle, sql, CInt(parameters.count), types, values, lengths, formats, 1)
      })
  }

  /// Ends a unit: after a failure the server goes on behind this point.
  public func synchronize() throws(PostgreSQLError) { try check(PQpipelineSync(handle)) }

  /// Sends what the socket takes.
  /// - Returns: whether something is left to be sent.
  public func flush() throws(PostgreSQLError) -> Bool {
    let code = PQflush(handle)
    guard code >= 0 else { throw .of(connection: handle) }
    return code == 1
  }

  /// Reads what has arrived.
  public func receive() throws(PostgreSQLError) { try check(PQconsumeInput(handle)) }

  /// The next result that has arrived whole; nil when there is none yet. libpq puts a nil behind each statement's results,
  /// which is passed over here.
  ///
  public func nextResult() -> QueryResult? {
    var passed = 0
    while PQisBusy(handle) == 0 {
      if let result = PQgetResult(handle) { return QueryResult(result) }
      passed += 1
      // The end of one statement; after a second in a row nothing is outstanding.
      if passed == 2 { return nil }
    }
    return nil
  }

  /// False once the session is over.
  public var isUsable: Bool { PQstatus(handle) == CONNECTION_OK }

  public var serverVersion: Int { Int(PQserverVersion(handle)) }

  private func check(_ code: CInt) throws(PostgreSQLError) {
    guard code == 1 else { throw .of(connection: handle) }
  }

  private func failure(_ result: OpaquePointer?) -> PostgreSQLError {
    let error = PostgreSQLError.of(result)
    return error.sqlState == nil ? .of(connection: handle) : error
  }
}
