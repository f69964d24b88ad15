// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SQLStore
internal import SQLite

/// A copy of a database file that is in use, made by SQLite itself (`VACUUM INTO`): one snapshot, without free pages.
struct DataFileCopy {
  private let source: String
  private let path: String

  init(of source: String, to path: String) {
    self.source = source
    self.path = path
  }

  /// Written under another name, made durable, then linked: the copy is there whole or not at all, and replaces nothing.
  /// - Returns: its size in bytes.
  func write(changing changes: [SQLStatement]) throws(SQLStoreError) -> Int64 {
    guard path.hasPrefix("/") else { throw SQLStoreError(.failed, "the copy's path must be absolute") }
    guard access(path, F_OK) != 0 else {
      throw SQLStoreError(.failed, "the copy's file exists already", code: Int(EEXIST))
    }
    let draft = "\(path).\(getpid()).part"
    unlink(draft)
    defer { unlink(draft) }
    // Made here, so that it is its owner's alone; SQLite writes into an empty file.
    let file = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure("cannot be made") }
    defer { close(file) }
    try fill(draft, changes)
    var status = stat()
    guard fsync(file) == 0, fstat(file, &status) == 0 else { throw failure("cannot be made durable") }
    guard link(draft, path) == 0 else { throw failure("cannot be given its name") }
    try makeFolderDurable()
    return Int64(status.st_size)
  }

  private func fill(_ draft: String, _ changes: [SQLStatement]) throws(SQLStoreError) {
    do throws(SQLiteError) {
      let quoted = draft.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
      try Connection(path: source, .readOnly).execute("VACUUM INTO '\(quoted)'")
    } catch {
      throw SQLStoreError(error)
    }
    let copy: Connection
    do throws(SQLiteError) { copy = try Connection(path: draft, .readWrite) } catch { throw SQLStoreError(error) }
    for change in changes { try copy.run(change) }
  }

  private func makeFolderDurable() throws(SQLStoreError) {
    let end = path.lastIndex(of: "/")!
    let folder = open(end == path.startIndex ? "/" : String(path[..<end]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw failure("cannot be made durable") }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw failure("cannot be made durable") }
  }

  private func failure(_ what: String) -> SQLStoreError {
    let code = errno
    return SQLStoreError(.unavailable, "the copy \(what): \(String(cString: strerror(code)))", code: Int(code))
  }
}
