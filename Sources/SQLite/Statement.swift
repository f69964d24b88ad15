// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import Glibc

/// A prepared statement. Bound by parameter number (`$1` is 1), stepped, reset; freed with its owner.
public final class Statement {
  private let handle: OpaquePointer
  // The connection's cache or its caller owns the statement, and neither outlives the connection.
  private unowned(unsafe) let connection: Connection
  /// SQLite's index of parameter number n at n - 1: SQLite numbers `$2` first when it comes first. 0: not in the text.
  private let indexes: [Int32]
  public let columnCount: Int
  /// A value was bound that is too large to be kept until the next one is.
  private var holdsMuch = false
  private static let much = 16_384
  /// Where values lie that SQLite reads in place: copying each into memory of its own costs more than all else about it.
  private var room = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var taken = 0

  init(_ sql: UnsafeBufferPointer<UInt8>, of connection: Connection) throws(SQLiteError) {
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection.handle, UnsafeRawPointer(sql.baseAddress!).assumingMemoryBound(to: CChar.self), Int32(sql.count),
      UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    try SQLiteError.check(code, connection.handle)
    guard let handle else { throw SQLiteError(code: SQLITE_MISUSE, message: "an empty statement") }
    let indexes = Self.indexes(of: handle)
    guard let indexes else {
      sqlite3_finalize(handle)
      throw SQLiteError(code: SQLITE_MISUSE, message: "parameters other than $1, $2 …")
    }
    self.handle = handle
    self.connection = connection
    self.indexes = indexes
    columnCount = Int(sqlite3_column_count(handle))
  }

  deinit {
    sqlite3_finalize(handle)
    room.deallocate()
  }

  /// The highest parameter number in the text.
  public var parameterCount: Int { indexes.count }

  /// Makes room for what is bound next, so that SQLite reads it in place. All parameters with text or bytes are to be bound
  /// anew afterwards, before the statement is stepped: what was bound before is gone.
  /// - Parameter byteCount: of all texts and bytes together. What does not fit, and what is large, SQLite copies.
  public func makeRoom(byteCount: Int) {
    taken = 0
    guard byteCount > room.count, byteCount <= Self.much else { return }
    room.deallocate()
    room = .allocate(byteCount: byteCount.nextPowerOfTwo, alignment: 1)
  }

  /// A copy that stays until room is made again.
  private func placed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
    guard bytes.count <= room.count - taken, let start = bytes.baseAddress, let place = room.baseAddress else {
      return nil
    }
    memcpy(place + taken, start, bytes.count)
    defer { taken += bytes.count }
    return UnsafeRawPointer(place + taken)
  }

  public func bindNull(_ number: Int) throws(SQLiteError) {
    try SQLiteError.check(sqlite3_bind_null(handle, indexes[number - 1]), connection.handle)
  }
  public func bind(_ number: Int, _ value: Int64) throws(SQLiteError) {
    try SQLiteError.check(sqlite3_bind_int64(handle, indexes[number - 1], value), connection.handle)
  }
  public func bind(_ number: Int, _ value: Double) throws(SQLiteError) {
    try SQLiteError.check(sqlite3_bind_double(handle, indexes[number - 1], value), connection.handle)
  }
  /// - Throws: also for U+0000 in the text, which PostgreSQL cannot hold.
  public func bind(_ number: Int, _ value: String) throws(SQLiteError) {
    var value = value
    let code = value.withUTF8 { text in
      if let start = text.baseAddress, memchr(start, 0, text.count) != nil { return SQLITE_MISMATCH }
      if let place = placed(UnsafeRawBufferPointer(text)) {
        return sqlite3_bind_text64(
          handle, indexes[number - 1], place.assumingMemoryBound(to: CChar.self), UInt64(text.count), nil,
          UInt8(SQLITE_UTF8))
      }
      if text.count > Self.much { holdsMuch = true }
      return sqlite3_bind_text64(
        handle, indexes[number - 1],
        text.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) } ?? emptyText,
        UInt64(text.count), copied, UInt8(SQLITE_UTF8))
    }
    guard code != SQLITE_MISMATCH else {
      throw SQLiteError(code: code, message: "parameter $\(number) contains U+0000")
    }
    try SQLiteError.check(code, connection.handle)
  }
  public func bind(_ number: Int, _ value: [UInt8]) throws(SQLiteError) {
    let code = value.withUnsafeBytes { bytes in
      if bytes.isEmpty { return sqlite3_bind_zeroblob(handle, indexes[number - 1], 0) }
      if let place = placed(bytes) {
        return sqlite3_bind_blob64(handle, indexes[number - 1], place, UInt64(bytes.count), nil)
      }
      if bytes.count > Self.much { holdsMuch = true }
      return sqlite3_bind_blob64(handle, indexes[number - 1], bytes.baseAddress, UInt64(bytes.count), copied)
    }
    try SQLiteError.check(code, connection.handle)
  }

  /// Moves to the next row. False: there is none, and the statement has done what it does.
  public func step() throws(SQLiteError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw SQLiteError.of(code, connection.handle)
  }

  /// Runs to the end, past any rows, and resets.
  public func run() throws(SQLiteError) {
    defer { reset() }
    while try step() {}
  }

  /// Ready for other values; lets go of locks, and of the values bound when they are large.
  public func reset() {
    sqlite3_reset(handle)
    if holdsMuch {
      sqlite3_clear_bindings(handle)
      holdsMuch = false
    }
  }

  public enum ColumnType: Sendable { case null, integer, real, text, blob }

  public func type(of column: Int) -> ColumnType {
    switch sqlite3_column_type(handle, Int32(column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }
  public func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }
  public func real(_ column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }
  public func text(_ column: Int) -> String {
    // Bytes are counted after the conversion to text, as SQLite asks.
    guard let start = sqlite3_column_text(handle, Int32(column)) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }
  public func blob(_ column: Int) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, Int32(column)) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
  }

  private static func indexes(of handle: OpaquePointer) -> [Int32]? {
    var indexes: [Int32] = []
    let count = sqlite3_bind_parameter_count(handle)
    guard count > 0 else { return indexes }
    for index in 1...count {
      guard let name = sqlite3_bind_parameter_name(handle, index), name.pointee == UInt8(ascii: "$"),
        let number = Int(String(cString: name + 1)), number > 0, number <= 32_766
      else { return nil }
      while indexes.count < number { indexes.append(0) }
      indexes[number - 1] = index
    }
    return indexes.contains(0) ? nil : indexes
  }
}

extension Int {
  fileprivate var nextPowerOfTwo: Int { self <= 64 ? 64 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}

/// SQLITE_TRANSIENT, a cast macro that Swift does not import: SQLite copies what is bound.
nonisolated(unsafe) private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
/// Never written.
nonisolated(unsafe) private let emptyText: UnsafePointer<CChar> = {
  let text = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
  text.initialize(to: 0)
  return UnsafePointer(text)
}()
