// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// One thing the program does.
protocol Command: Sendable {
  /// The words that name it: `["key", "create"]`.
  static var words: [String] { get }
  static var summary: String { get }
  /// What follows its name, as the help shows it.
  static var usage: String { get }
  /// More to say in its help; lines of at most 100 characters.
  static var details: String { get }
  static var options: [Option] { get }

  /// - Throws: `UsageError`, `CredentialsError`, `RPCError`.
  static func run(_ arguments: Arguments, _ session: Session) async throws -> ProgramStatus
}

extension Command {
  static var usage: String { "" }
  static var details: String { "" }
  static var options: [Option] { [] }
  static var name: String { words.joined(separator: " ") }
}

enum Commands {
  static let all: [any Command.Type] = [
    CallCommand.self, HealthCommand.self, MethodsCommand.self, KeyCreateCommand.self, SessionStartCommand.self,
    AuditExportCommand.self, BackupCommand.self, RecoverCommand.self, KeygenCommand.self,
  ]

  /// Options of every command.
  static let common = [
    Option("--endpoint", "URL", "the gateway or a service: tcp://127.0.0.1:PORT or ipc://PATH"),
    Option("--server", "NAME", "with CURVE keys, whose to expect there: gateway (default) or a service"),
    Option("--as", "NAME", "which credential of credentials.json: admin (default) or demo"),
    Option("--token", "TOKEN", "a credential; other users of this machine may see it, so prefer ASSENT_TOKEN"),
    Option("--timeout", "TIME", "how long to wait: 500ms, 5s (default), at most 30s"),
    Option("--json", nil, "print JSON on one line, errors too"),
    Option("--help", nil, "show this help"),
  ]

  static var everyOption: [Option] { common + all.flatMap { $0.options } }

  /// The command that the first words name.
  static func named(by words: [String]) -> (any Command.Type)? {
    all.first { words.starts(with: $0.words) }
  }
}
