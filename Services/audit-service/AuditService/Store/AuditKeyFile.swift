// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
internal import Cryptography
internal import Glibc

/// Where the audit key is kept: a file of 64 hexadecimal digits that only its owner may read.
struct AuditKeyFile: Sendable {
  static let setting = "ASSENT_AUDIT_KEY_FILE"

  let path: String

  /// `ASSENT_AUDIT_KEY_FILE`, or `audit.key` in `ASSENT_DATA_DIR`.
  init(_ configuration: Configuration) {
    path =
      configuration.string(Self.setting)
      ?? configuration.string("ASSENT_DATA_DIR", default: ".assent") + "/audit.key"
  }

  /// Reads the key; makes it where there is none.
  /// - Parameter mayCreate: false when the database already has entries: a new key could open none of them.
  /// - Throws: `ConfigurationError`, which names what to do.
  func load(mayCreate: Bool) throws -> AuditKey {
    if let key = try read() { return key }
    guard mayCreate else {
      throw problem("names no file, but the database was written with a key: put that key's file back")
    }
    try create()
    guard let key = try read() else { throw problem("could not be read back after it was created") }
    return key
  }

  /// Nil when there is no file.
  private func read() throws -> AuditKey? {
    // A link is followed: orchestrators show secrets as links. What counts is the file that it leads to.
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("cannot be opened")
    }
    defer { close(file) }
    guard SecretFile.isPrivate(file) else {
      throw problem("can be read by others: \(SecretFile.requirement); treat the key as known")
    }
    var text = [UInt8](repeating: 0, count: 2 * AuditKey.byteCount + 2)
    let count = Glibc.read(file, &text, text.count)
    guard count >= 0 else { throw failure("cannot be read") }
    var digits = text[..<count]
    if digits.last == UInt8(ascii: "\n") { digits.removeLast() }
    guard let bytes = Hex.decode(String(decoding: digits, as: UTF8.self)), bytes.count == AuditKey.byteCount else {
      throw problem("must hold \(2 * AuditKey.byteCount) hexadecimal digits and nothing else")
    }
    return try AuditKey(bytes)
  }

  /// Written whole under another name, made durable, then linked: no one ever sees half a key, and of two programs that
  /// start at once one key wins.
  private func create() throws {
    let draft = "\(path).\(getpid())"
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure("cannot be created") }
    defer { unlink(draft) }
    let text = Array((Hex.encode(Random.bytes(AuditKey.byteCount)) + "\n").utf8)
    let written = write(file, text, text.count) == text.count && fsync(file) == 0
    close(file)
    guard written else { throw failure("cannot be written") }
    guard link(draft, path) == 0 || errno == EEXIST else { throw failure("cannot be created") }
    try makeFolderDurable()
  }

  private func makeFolderDurable() throws {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("cannot be made durable") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("cannot be made durable") }
  }

  private func problem(_ text: String) -> ConfigurationError { ConfigurationError(key: Self.setting, problem: text) }
  private func failure(_ text: String) -> ConfigurationError { problem("\(text): \(String(cString: strerror(errno)))") }
}
