// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import SettingsContracts

enum KeyCreateCommand: Command {
  static let words = ["key", "create"]
  static let summary = "makes a service key and prints it, this once"
  static let usage = "--name NAME --owner OWNER (--scope SCOPE… | --role ROLE)"
  static let details = """
    Scopes: \(KeyScope.allCases.map(\.rawValue).joined(separator: ", ")).
    Roles: \(KeyRole.allCases.map(\.rawValue).joined(separator: ", ")).
    """
  static let options = [
    Option("--name", "NAME", "the actor that audit entries name"),
    Option("--owner", "OWNER", "who answers for the key"),
    Option("--scope", "SCOPE", "what it may do; may be repeated", isRepeatable: true),
    Option("--role", "ROLE", "in place of scopes"),
    Option("--expires-at", "TIME", "ISO 8601 in UTC; never when left out"),
  ]

  static func run(_ arguments: Arguments, _ session: Session) async throws -> ProgramStatus {
    guard arguments.words.isEmpty else { throw UsageError("key create takes options only") }
    let scopes = try arguments.values("--scope").map { text throws(UsageError) in
      guard let scope = KeyScope(rawValue: text) else { throw UsageError("--scope: \(text) is not a scope") }
      return scope
    }
    let role = try arguments.value("--role").map { text throws(UsageError) in
      guard let role = KeyRole(rawValue: text) else { throw UsageError("--role: \(text) is not a role") }
      return role
    }
    guard scopes.isEmpty != (role == nil) else { throw UsageError("give either --scope or --role") }
    let params = KeyCreateParams(
      name: try arguments.required("--name"), owner: try arguments.required("--owner"),
      scopes: scopes.isEmpty ? nil : scopes, role: role, expiresAt: try arguments.time("--expires-at"))
    session.output.result(try JSON.encode(await session.call(KeyMethods.create, params)))
    return .done
  }
}

extension Arguments {
  /// - Throws: `UsageError` unless it is ISO 8601 in UTC.
  func time(_ name: String) throws(UsageError) -> Timestamp? {
    guard let text = value(name) else { return nil }
    guard let time = Timestamp(text) else {
      throw UsageError("\(name) must be a time such as 2026-01-02T03:04:05Z")
    }
    return time
  }
}
