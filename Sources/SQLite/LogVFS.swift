// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import Glibc

/// SQLite's default file system, except that what is appended to a write-ahead log is gathered and written when the log is
/// synced, read or measured. SQLite writes each page of a commit by two calls, its head and itself; a group commit has
/// dozens.
///
/// Only for a connection with `synchronous` FULL or EXTRA, which syncs the log before a commit is published in the shared
/// index: others read the log from the file, up to there. What the index does not show yet, such as pages that did not
/// fit into the cache, is read through the same file as it was written. (SQLite's file format, section 4; `xSync` and
/// `xWrite` in "The OS Backend (VFS) To SQLite".)
enum LogVFS {
  static let name = "assent-log"

  /// To be called once in a process, after SQLite was started.
  /// - Returns: SQLite's code.
  static func register() -> Int32 {
    guard let original = sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: original.pointee)
    vfs.pointee.szOsFile += Int32(LogFile.size)
    vfs.pointee.pNext = nil
    vfs.pointee.zName = UnsafePointer(strdup(name))
    vfs.pointee.xOpen = { _, name, file, flags, outFlags in
      let original = sqlite3_vfs_find(nil)!
      guard flags & SQLITE_OPEN_WAL != 0 else { return original.pointee.xOpen(original, name, file, flags, outFlags) }
      return LogFile.open(file!) { original.pointee.xOpen(original, name, $0, flags, outFlags) }
    }
    return sqlite3_vfs_register(vfs, 0)
  }
}

/// An open log: what SQLite knows of it, what is gathered, and behind it in the same memory the default file system's file.
private struct LogFile {
  /// Bytes: 31 pages of 4 KiB with their headers, or 15 of 8 KiB. SQLite's own file system writes less than 128 KiB by one call, and of more only
  /// what is over a multiple.
  static let capacity = 31 * (4_096 + 24)
  static let size = (MemoryLayout<LogFile>.size + 15) & ~15

  // First, since SQLite takes a pointer to this for one to a `sqlite3_file`.
  var file: sqlite3_file
  let gathered: UnsafeMutableRawPointer
  /// Where in the file it belongs, in bytes.
  var start: sqlite3_int64 = 0
  var count = 0

  private typealias Opened = UnsafeMutablePointer<sqlite3_file>

  static func open(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ original: (UnsafeMutablePointer<sqlite3_file>) -> Int32
  )
    -> Int32
  {
    let code = original(inner(file))
    // SQLite calls `xClose` whenever there are methods, also after an open that failed.
    file.pointee.pMethods = nil
    guard code == SQLITE_OK else {
      _ = inner(file).pointee.pMethods?.pointee.xClose(inner(file))
      return code
    }
    guard let gathered = malloc(capacity) else {
      _ = inner(file).pointee.pMethods.pointee.xClose(inner(file))
      return SQLITE_NOMEM
    }
    UnsafeMutableRawPointer(file).initializeMemory(
      as: LogFile.self, to: LogFile(file: sqlite3_file(pMethods: methods), gathered: gathered))
    return SQLITE_OK
  }

  private static func of(_ file: Opened?) -> UnsafeMutablePointer<LogFile> {
    UnsafeMutableRawPointer(file!).assumingMemoryBound(to: LogFile.self)
  }

  private static func inner(_ file: Opened) -> Opened {
    (UnsafeMutableRawPointer(file) + size).assumingMemoryBound(to: sqlite3_file.self)
  }

  /// Writes what is gathered, and keeps it when that fails.
  private static func flush(_ file: Opened?) -> Int32 {
    let log = of(file)
    guard log.pointee.count > 0 else { return SQLITE_OK }
    let inner = inner(file!)
    let code = inner.pointee.pMethods.pointee.xWrite(
      inner, log.pointee.gathered, Int32(log.pointee.count), log.pointee.start)
    if code == SQLITE_OK { log.pointee.count = 0 }
    return code
  }

  private static func write(_ file: Opened?, _ bytes: UnsafeRawPointer?, _ count: Int32, _ offset: sqlite3_int64)
    -> Int32
  {
    let log = of(file)
    let count = Int(count)
    let place = offset - log.pointee.start
    if log.pointee.count == 0 || place < 0 || place > log.pointee.count || Int(place) + count > capacity {
      let code = flush(file)
      guard code == SQLITE_OK else { return code }
      guard count <= capacity else {
        let inner = inner(file!)
        return inner.pointee.pMethods.pointee.xWrite(inner, bytes, Int32(count), offset)
      }
      log.pointee.start = offset
    }
    let at = Int(offset - log.pointee.start)
    memcpy(log.pointee.gathered + at, bytes!, count)
    log.pointee.count = max(log.pointee.count, at + count)
    return SQLITE_OK
  }

  /// Calls the default file system's method once everything is written.
  private static func flushed(
    _ file: Opened?, _ then: (_ file: Opened, _ methods: sqlite3_io_methods) -> Int32
  ) -> Int32 {
    let code = flush(file)
    guard code == SQLITE_OK else { return code }
    let inner = inner(file!)
    return then(inner, inner.pointee.pMethods.pointee)
  }

  /// Version 1: a log is neither mapped nor does it have shared memory of its own.
  nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    var mine = sqlite3_io_methods()
    mine.iVersion = 1
    mine.xClose = { file in
      let code = flush(file)
      free(of(file).pointee.gathered)
      let inner = inner(file!)
      let closed = inner.pointee.pMethods.pointee.xClose(inner)
      return code == SQLITE_OK ? closed : code
    }
    mine.xRead = { file, bytes, count, offset in flushed(file) { $1.xRead($0, bytes, count, offset) } }
    mine.xWrite = { write($0, $1, $2, $3) }
    mine.xTruncate = { file, size in flushed(file) { $1.xTruncate($0, size) } }
    mine.xSync = { file, flags in flushed(file) { $1.xSync($0, flags) } }
    mine.xFileSize = { file, size in flushed(file) { $1.xFileSize($0, size) } }
    mine.xLock = { file, kind in inner(file!).pointee.pMethods.pointee.xLock(inner(file!), kind) }
    mine.xUnlock = { file, kind in inner(file!).pointee.pMethods.pointee.xUnlock(inner(file!), kind) }
    mine.xCheckReservedLock = { file, held in
      inner(file!).pointee.pMethods.pointee.xCheckReservedLock(inner(file!), held)
    }
    mine.xFileControl = { file, what, value in flushed(file) { $1.xFileControl($0, what, value) } }
    mine.xSectorSize = { inner($0!).pointee.pMethods.pointee.xSectorSize(inner($0!)) }
    mine.xDeviceCharacteristics = { inner($0!).pointee.pMethods.pointee.xDeviceCharacteristics(inner($0!)) }
    methods.initialize(to: mine)
    return UnsafePointer(methods)
  }()
}
