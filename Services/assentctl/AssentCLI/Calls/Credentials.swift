// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
internal import Glibc
internal import JSONRPC

/// Where the credential of a call comes from: `--token`, `ASSENT_TOKEN`, or `credentials.json` in the data folder.
struct Credentials: Sendable {
  enum Name: String, Sendable, CaseIterable {
    case admin, demo
    /// The member of `credentials.json`.
    var member: String { self == .admin ? "adminKey" : "demoToken" }
  }

  private let token: String?
  private let name: Name?
  private let path: String

  /// - Throws: `UsageError` for a name that is not known.
  init(_ arguments: Arguments, configuration: Configuration) throws(UsageError) {
    token = arguments.value("--token") ?? (arguments.has("--as") ? nil : configuration.string("ASSENT_TOKEN"))
    path = configuration.string("ASSENT_DATA_DIR", default: ".assent") + "/credentials.json"
    guard let text = arguments.value("--as") else {
      name = nil
      return
    }
    guard !arguments.has("--token") else { throw UsageError("--as and --token name two credentials: give one") }
    guard let known = Name(rawValue: text) else {
      throw UsageError("--as must be \(Name.allCases.map(\.rawValue).joined(separator: " or "))")
    }
    name = known
  }

  /// The credential to send, if any: calls that need none go without when there is no file.
  /// - Parameter warn: told of a file that others can read.
  /// - Throws: `CredentialsError`, whose text holds nothing of a credential.
  func find(warn: (String) -> Void) throws(CredentialsError) -> String? {
    if let token { return try sendable(token, "the token") }
    guard let text = try read(warn: warn) else {
      if name == nil { return nil }
      throw CredentialsError("\(path) does not exist: start with deploy/up, or set ASSENT_DATA_DIR or ASSENT_TOKEN")
    }
    guard let members = try? JSON.decode([String: JSONValue].self, from: text) else {
      throw CredentialsError("\(path) is not a JSON object")
    }
    let name = name ?? .admin
    guard let credential = members[name.member]?.stringValue else {
      throw CredentialsError(
        "\(path) has no \(name.member)\(name == .demo ? ": start with deploy/up --demo" : "")")
    }
    return try sendable(credential, "\(name.member) of \(path)")
  }

  /// A credential travels as a header's value.
  private func sendable(_ credential: String, _ what: String) throws(CredentialsError) -> String {
    guard !credential.isEmpty, credential.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      throw CredentialsError("\(what) is empty or holds other than printable ASCII characters")
    }
    return credential
  }

  /// Nil when there is no file.
  private func read(warn: (String) -> Void) throws(CredentialsError) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw CredentialsError("\(path) cannot be opened: \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    var status = stat()
    if fstat(file, &status) == 0, status.st_mode & 0o077 != 0 {
      warn("\(path) can be read by other users: chmod 600 it, and replace the keys in it")
    }
    guard let text = FileBytes.all(of: file) else {
      throw CredentialsError("\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    return text
  }
}

/// No usable credential.
struct CredentialsError: Error, Sendable, Equatable, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
