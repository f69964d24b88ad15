// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
internal import Glibc

/// Why a file of secrets cannot be used. Names the path and the problem.
struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
  let path: String
  let problem: String
  var description: String { "\(path): \(problem)" }

  static func system(_ path: String, _ call: String) -> FileError {
    FileError(path: path, problem: "\(call): \(String(cString: strerror(errno)))")
  }
}

/// Files of secrets: made with mode 0600, whole or not there, on the disk before anybody relies on them.
enum PrivateFile {
  private static let sizeLimit = 1 << 20

  /// The contents, or nil when there is no such file.
  /// - Throws: `FileError`; also when the file may be read by others than its owner.
  static func read(_ path: String) throws(FileError) -> [UInt8]? {
    // A link is followed: orchestrators show secrets as links. What counts is the file that it leads to.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .system(path, "open")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(path, "fstat") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(path: path, problem: "is not a file") }
    guard SecretFile.isPrivate(descriptor) else {
      throw FileError(path: path, problem: "may be read by others: \(SecretFile.requirement)")
    }
    guard status.st_size <= sizeLimit else { throw FileError(path: path, problem: "is too large") }
    var contents = [UInt8](repeating: 0, count: Int(status.st_size))
    var filled = 0
    while filled < contents.count {
      let count = contents.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress! + filled, $0.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system(path, "read") }
      filled += count
    }
    return contents
  }

  /// Makes the file unless there is one.
  /// - Returns: false when there was one, which stays as it is.
  /// - Throws: `FileError`.
  static func create(_ path: String, _ contents: [UInt8]) throws(FileError) -> Bool {
    let draft = try write(path, contents)
    defer { unlink(draft) }
    // A link, unlike a rename, does not replace what is there.
    guard link(draft, path) == 0 else {
      if errno == EEXIST { return false }
      throw .system(path, "link")
    }
    try syncFolder(of: path)
    return true
  }

  /// Puts the contents in the file's place in one step.
  /// - Throws: `FileError`.
  static func replace(_ path: String, _ contents: [UInt8]) throws(FileError) {
    let draft = try write(path, contents)
    guard rename(draft, path) == 0 else {
      let error = FileError.system(path, "rename")
      unlink(draft)
      throw error
    }
    try syncFolder(of: path)
  }

  /// A synced file beside `path`, of a name of this process's own.
  private static func write(_ path: String, _ contents: [UInt8]) throws(FileError) -> String {
    let draft = "\(path).\(getpid()).new"
    unlink(draft)
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(draft, "open") }
    defer { close(descriptor) }
    var written = 0
    while written < contents.count {
      let count = contents.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + written, $0.count - written) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system(draft, "write") }
      written += count
    }
    guard fsync(descriptor) == 0 else { throw .system(draft, "fsync") }
    return draft
  }

  private static func syncFolder(of path: String) throws(FileError) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(folder, "open") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system(folder, "fsync") }
  }
}
