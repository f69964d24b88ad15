// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Whole files, by descriptor and by path.
enum FileBytes {
  /// All that is left to read; nil on failure, with `errno`.
  static func all(of descriptor: Int32) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
    }
  }

  /// - Throws: `UsageError` with the system's reason.
  static func read(_ path: String) throws(UsageError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure(path, "read") }
    defer { close(file) }
    guard let bytes = all(of: file) else { throw failure(path, "read") }
    return bytes
  }

  /// Writes all; false on failure, with `errno`.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  static func failure(_ path: String, _ what: String) -> UsageError {
    UsageError("\(path) cannot be \(what): \(String(cString: strerror(errno)))")
  }
}
