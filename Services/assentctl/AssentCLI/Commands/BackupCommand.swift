// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import SettingsContracts

enum BackupCommand: Command {
  static let words = ["backup"]
  static let summary = "has a service that runs on SQLite write a copy of its data, while it serves"
  static let usage = "SERVICE FILE"
  static let details = """
    FILE is an absolute path on the service's machine, of a file that is not there yet. Stores on PostgreSQL are copied with
    PostgreSQL's own tools.
      assentctl backup consent-service /var/backups/consent-service.db
    """

  static func run(_ arguments: Arguments, _ session: Session) async throws -> ProgramStatus {
    guard arguments.words.count == 2 else { throw UsageError("backup needs SERVICE and FILE") }
    let link = try await session.operate(arguments.words[0])
    let params = BackupParams(path: arguments.words[1])
    // Begun once; it is asked after until it is done.
    while true {
      let result = try await link.call(RecoverMethods.backup, params)
      if result.state == .done {
        if session.output.isJSON {
          session.output.result(try JSON.encode(result))
        } else {
          session.output.line("\(params.path): \(result.bytes) bytes")
        }
        return .done
      }
      try await Task.sleep(for: .milliseconds(200))
    }
  }
}
