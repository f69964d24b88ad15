// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import JSONRPC
internal import RPC
internal import SettingsContracts

enum AuditExportCommand: Command {
  static let words = ["audit", "export"]
  static let summary = "writes the audit trail as json, ndjson, csv or readable lines"
  static let usage = "[--account ID | --device ID]"
  static let details = """
    Without an account or device: the whole app's. Each page it fetches leaves an audit entry of its own.
      assentctl audit export --account maya --format csv --output maya.csv
    """
  static let options = [
    Option("--format", "FORMAT", "json (default), ndjson, csv or readable"),
    Option("--account", "ID", "this account's entries"),
    Option("--device", "ID", "this device's entries"),
    Option("--kind", "KIND", "one kind, or all of a domain as consent.*"),
    Option("--category", "ID", "one category's"),
    Option("--status", "STATUS", "one status"),
    Option("--regulation", "ID", "one regulation"),
    Option("--policy-version", "NUMBER", "one policy version"),
    Option("--actor", "ACTOR", "person, device, controller, key:NAME or service:NAME"),
    Option("--from", "TIME", "not before; ISO 8601 in UTC"),
    Option("--to", "TIME", "before"),
    Option("--output", "FILE", "a new file, for its owner only; else standard output"),
  ]

  static func run(_ arguments: Arguments, _ session: Session) async throws -> ProgramStatus {
    guard arguments.words.isEmpty else { throw UsageError("audit export takes options only") }
    var params = try params(arguments)
    let path = arguments.value("--output")
    let file = try path.map(create) ?? 1
    var document = JoinedExport(params.format ?? .json)
    while true {
      let page = try await session.call(AuditMethods.export, params)
      try write(document.add(page.content), to: file, path)
      guard let next = page.nextCursor else { break }
      params.cursor = next
    }
    try write(document.end, to: file, path)
    return .done
  }

  private static func params(_ arguments: Arguments) throws(UsageError) -> AuditExportParams {
    let format = try arguments.value("--format").map { text throws(UsageError) in
      guard let format = AuditExportFormat(rawValue: text) else {
        throw UsageError("--format must be \(AuditExportFormat.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      return format
    }
    return AuditExportParams(
      format: format, accountId: arguments.value("--account"), deviceId: arguments.value("--device"),
      kind: arguments.value("--kind"), category: arguments.value("--category"), status: arguments.value("--status"),
      regulation: arguments.value("--regulation"), policyVersion: try arguments.integer("--policy-version"),
      actor: arguments.value("--actor"), from: try arguments.time("--from"), to: try arguments.time("--to"))
  }

  /// Never over a file that is there: an export is evidence.
  private static func create(_ path: String) throws(UsageError) -> Int32 {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw FileBytes.failure(path, "created") }
    return file
  }

  private static func write(_ text: String, to file: Int32, _ path: String?) throws(UsageError) {
    guard FileBytes.write(Array(text.utf8), to: file) else {
      throw FileBytes.failure(path ?? "standard output", "written")
    }
  }
}
