// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CPostgreSQL
internal import Glibc

/// What the server answered to one statement, its columns in binary format.
public final class QueryResult {
  public enum Status: Sendable, Equatable {
    /// Done; `rowCount` rows of `columnCount` values.
    case done
    /// The end of what was sent up to a synchronization point.
    case synchronized
    /// Not run, since one before it in the pipeline failed.
    case skipped
    case failed(PostgreSQLError)
  }

  private let handle: OpaquePointer
  public let status: Status
  public let rowCount: Int
  public let columnCount: Int

  init(_ handle: OpaquePointer) {
    self.handle = handle
    switch PQresultStatus(handle) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: status = .done
    case PGRES_PIPELINE_SYNC: status = .synchronized
    case PGRES_PIPELINE_ABORTED: status = .skipped
    default: status = .failed(.of(handle))
    }
    rowCount = Int(PQntuples(handle))
    columnCount = Int(PQnfields(handle))
  }

  deinit { PQclear(handle) }

  /// Whether the statement was this command: what ends a failed transaction says ROLLBACK, whatever it was asked.
  public func isCommand(_ tag: StaticString) -> Bool {
    guard let said = PQcmdStatus(handle) else { return false }
    return strcmp(said, UnsafeRawPointer(tag.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
  }

  public enum Value: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])
  }

  /// - Throws: for a column of a type that has no place in `Value`.
  public func value(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Value {
    guard PQgetisnull(handle, CInt(row), CInt(column)) == 0 else { return .null }
    let bytes = UnsafeRawBufferPointer(
      start: PQgetvalue(handle, CInt(row), CInt(column)), count: Int(PQgetlength(handle, CInt(row), CInt(column))))
    let type = PQftype(handle, CInt(column))
    switch type {
    case 20: return .integer(Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
    case 25, 1043, 19, 705: return .text(String(decoding: bytes, as: UTF8.self))
    case 17: return .bytes([UInt8](bytes))
    case 23: return .integer(Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self))))
    case 26: return .integer(Int64(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
    case 21: return .integer(Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self))))
    case 16: return .integer(bytes[0] == 0 ? 0 : 1)
    case 701: return .real(Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))))
    case 700: return .real(Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))))
    case 1700: return Numeric.value(bytes)
    case 2278: return .null
    default:
      throw PostgreSQLError(
        sqlState: "42804", message: "column \(column + 1) has a type (\(type)) that is not supported")
    }
  }
}
