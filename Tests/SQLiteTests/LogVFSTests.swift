// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc
import Testing

@testable import SQLite

@Suite struct LogVFSTests {
  /// A log as SQLite opens it, beside what it must hold.
  private final class OpenLog {
    let path: String
    let file: UnsafeMutablePointer<sqlite3_file>
    var model: [UInt8] = []
    private let name: UnsafeMutablePointer<CChar>

    init(in folder: borrowing Folder) throws {
      // Any connection registers the file system.
      _ = try Connection(path: ":memory:", .create)
      // SQLite takes a log's mode from its database, which it finds by the name.
      path = folder.path + "/store.db-wal"
      close(creat(folder.path + "/store.db", 0o600))
      // SQLite ends a name by two zeros.
      name = .allocate(capacity: path.utf8.count + 2)
      name.initialize(repeating: 0, count: path.utf8.count + 2)
      strcpy(name, path)
      let vfs = try #require(sqlite3_vfs_find(LogVFS.name))
      file = UnsafeMutableRawPointer.allocate(byteCount: Int(vfs.pointee.szOsFile), alignment: 16)
        .bindMemory(to: sqlite3_file.self, capacity: 1)
      let flags = SQLITE_OPEN_WAL | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      try #require(vfs.pointee.xOpen(vfs, name, file, flags, nil) == SQLITE_OK)
    }

    deinit {
      #expect(methods.xClose(file) == SQLITE_OK)
      UnsafeMutableRawPointer(file).deallocate()
      name.deallocate()
    }

    var methods: sqlite3_io_methods { file.pointee.pMethods.pointee }

    func write(_ bytes: [UInt8], at offset: Int) {
      #expect(methods.xWrite(file, bytes, Int32(bytes.count), Int64(offset)) == SQLITE_OK)
      let end = offset + bytes.count
      if model.count < end { model += Array(repeating: 0, count: end - model.count) }
      model.replaceSubrange(offset..<end, with: bytes)
    }

    func read(_ count: Int, at offset: Int) -> [UInt8] {
      var bytes = [UInt8](repeating: 1, count: count)
      #expect(methods.xRead(file, &bytes, Int32(count), Int64(offset)) == SQLITE_OK)
      return bytes
    }

    /// What another process would read.
    var written: [UInt8] {
      let file = open(path, O_RDONLY)
      defer { close(file) }
      var bytes = [UInt8](repeating: 0, count: 4 << 20)
      return Array(bytes[..<Glibc.read(file, &bytes, bytes.count)])
    }
  }

  private struct Folder: ~Copyable {
    let path: String
    init() {
      var template = Array("/tmp/assent-log-XXXXXX".utf8CString)
      path = String(cString: mkdtemp(&template))
    }
    deinit {
      for name in ["store.db", "store.db-wal", "store.db-shm"] { unlink("\(path)/\(name)") }
      rmdir(path)
    }
  }

  @Test func whatIsAppendedReachesTheFileWithTheSync() throws {
    let folder = Folder()
    let log = try OpenLog(in: folder)
    for frame in 0..<20 {
      log.write([UInt8](repeating: UInt8(frame), count: 24), at: frame * 4_120)
      log.write([UInt8](repeating: UInt8(frame), count: 4_096), at: frame * 4_120 + 24)
    }
    #expect(log.written.isEmpty)
    #expect(log.methods.xSync(log.file, SQLITE_SYNC_NORMAL) == SQLITE_OK)
    #expect(log.written == log.model)
  }

  @Test(arguments: 0..<8) func itIsAFileLikeAnyOther(seed: Int) throws {
    let folder = Folder()
    let log = try OpenLog(in: folder)
    var dice = SystemRandomNumberGenerator()
    for step in 0..<2_000 {
      let size = log.model.count
      switch Int.random(in: 0..<20, using: &dice) {
      case 0: #expect(log.methods.xSync(log.file, SQLITE_SYNC_NORMAL) == SQLITE_OK)
      case 1:
        var told: Int64 = 0
        #expect(log.methods.xFileSize(log.file, &told) == SQLITE_OK)
        #expect(told == size)
      case 2 where size > 1 << 20:
        let rest = Int.random(in: 0...size, using: &dice)
        #expect(log.methods.xTruncate(log.file, Int64(rest)) == SQLITE_OK)
        log.model.removeLast(size - rest)
      case 3..<7 where size > 0:
        let from = Int.random(in: 0..<size, using: &dice)
        let count = Int.random(in: 1...min(5_000, size - from), using: &dice)
        #expect(log.read(count, at: from) == Array(log.model[from..<from + count]))
      case 7..<9:
        // Over what is there, past its end, or behind a hole.
        let offset = Int.random(in: max(0, size - 20_000)...size + 50, using: &dice)
        log.write([UInt8](repeating: UInt8(step & 0xff), count: Int.random(in: 1...9_000, using: &dice)), at: offset)
      case 9 where step % 50 == 9: log.write([UInt8](repeating: 9, count: 130_000), at: size)
      default:
        log.write([UInt8](repeating: UInt8(step & 0xff), count: Int.random(in: 1...4_200, using: &dice)), at: size)
      }
    }
    #expect(log.read(log.model.count, at: 0) == log.model)
  }

  @Test func anotherConnectionReadsWhatWasCommittedWhateverBecameOfTheRest() throws {
    let folder = Folder()
    let path = folder.path + "/store.db"
    let writer = try Connection(path: path, .create, gathersLog: true)
    // A cache of ten pages, so that transactions spill into the log before they end.
    try writer.execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 10;
      CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
      """)
    let reader = try Connection(path: path, .readOnly)
    var dice = SystemRandomNumberGenerator()
    var known: Set<Int64> = []
    for round in 0..<200 {
      var next = known
      try writer.execute("BEGIN")
      for id in (0..<40).map({ Int64(round * 100 + $0) }) {
        try writer.execute("INSERT INTO item VALUES (\(id), randomblob(3000))")
        next.insert(id)
      }
      try writer.execute("SAVEPOINT part; DELETE FROM item WHERE id % 3 = 0; ROLLBACK TO part; RELEASE part")
      if let gone = next.randomElement(using: &dice) {
        try writer.execute("DELETE FROM item WHERE id = \(gone)")
        next.remove(gone)
      }
      #expect(try ids(reader) == known)
      if Bool.random(using: &dice) {
        try writer.execute("COMMIT")
        known = next
      } else {
        try writer.execute("ROLLBACK")
      }
      #expect(try ids(reader) == known)
      if round % 17 == 0 { try writer.checkpoint() }
      if round % 61 == 0 { #expect(try writer.truncateLog()) }
    }
    for connection in [writer, reader] {
      let check = try connection.prepare("PRAGMA integrity_check")
      #expect(try check.step())
      #expect(check.text(0) == "ok")
    }
  }

  private func ids(_ connection: Connection) throws -> Set<Int64> {
    let statement = try connection.prepare("SELECT id FROM item")
    var ids: Set<Int64> = []
    while try statement.step() { ids.insert(statement.integer(0)) }
    return ids
  }
}
