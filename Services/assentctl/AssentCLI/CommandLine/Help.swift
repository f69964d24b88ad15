// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The texts behind `--help`.
enum Help {
  static var program: String {
    let commands = Commands.all.map { ($0.name, $0.summary) }
    return """
      Calls Assent's gateway from the command line.

      Usage: assentctl COMMAND [OPTION…]

      Commands:
      \(table(commands))

      Options of every command:
      \(table(Commands.common.map(line)))

      Environment:
      \(table([
        ("ASSENT_ENDPOINT", "the gateway, as --endpoint"),
        ("ASSENT_ZMQ_PORT", "without that: tcp://127.0.0.1 at this port (default 5570)"),
        ("ASSENT_SERVER", "whose CURVE key to expect, as --server"),
        ("ASSENT_CURVE_KEY_FILE", "the CURVE key pair to call with; without it tcp is plain text"),
        ("ASSENT_CURVE_PEERS_FILE", "the CURVE keys of the gateway and the services"),
        ("ASSENT_TOKEN", "a credential, as --token"),
        ("ASSENT_DATA_DIR", "without that: the folder of credentials.json (default .assent)"),
      ]))

      Exit status:
      \(table(ProgramStatus.allCases.map { ("\($0.rawValue)", $0.meaning) }))

      `assentctl COMMAND --help` says more about one.

      """
  }

  static func command(_ command: any Command.Type) -> String {
    var text = "\(command.summary)\n\nUsage: assentctl \(command.name)"
    if !command.usage.isEmpty { text += " \(command.usage)" }
    text += " [OPTION…]\n\n"
    if !command.details.isEmpty { text += command.details + "\n\n" }
    if !command.options.isEmpty { text += "Options:\n\(table(command.options.map(line)))\n\n" }
    return text + "Options of every command:\n\(table(Commands.common.map(line)))\n"
  }

  private static func line(_ option: Option) -> (String, String) {
    (option.value.map { "\(option.name) \($0)" } ?? option.name, option.help)
  }

  /// Two columns, indented.
  private static func table(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, text in
      "  " + name + String(repeating: " ", count: width - name.count + 2) + text
    }.joined(separator: "\n")
  }
}
