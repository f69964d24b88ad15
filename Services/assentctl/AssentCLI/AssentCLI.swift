// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
internal import JSONRPC
internal import RPC

/// The program `assentctl`, apart from the process it runs in.
public struct AssentCLI: Sendable {
  private let configuration: Configuration
  private let output: Output
  private let connect: Session.Connect

  init(configuration: Configuration, output: Output, connect: @escaping Session.Connect) {
    self.configuration = configuration
    self.output = output
    self.connect = connect
  }

  /// Does what the command line says.
  /// - Parameter line: the words after the program's name.
  func run(_ line: [String]) async -> ProgramStatus {
    var output = output
    output.isJSON = line.contains("--json")
    var name: String?
    do {
      let arguments = try Arguments(line, options: Commands.everyOption)
      guard let command = try command(arguments) else {
        output.write(Array(Help.program.utf8))
        return .done
      }
      name = command.words == CallCommand.words ? arguments.words.dropFirst().first : command.name
      if arguments.has("--help") {
        output.write(Array(Help.command(command).utf8))
        return .done
      }
      let known = Set((command.options + Commands.common).map(\.name))
      if let stranger = arguments.optionNames.subtracting(known).min() {
        throw UsageError("\(stranger) is not an option of \(command.name)")
      }
      let session = try Session(arguments, configuration: configuration, output: output, connect: connect)
      return try await command.run(arguments.dropping(words: command.words.count), session)
    } catch {
      return complain(error, name, output)
    }
  }

  /// Nil when the program's help is asked for, and not that of one command.
  private func command(_ arguments: Arguments) throws(UsageError) -> (any Command.Type)? {
    if let command = Commands.named(by: arguments.words) { return command }
    if arguments.has("--help") || arguments.words.first == "help" { return nil }
    guard let first = arguments.words.first else { throw UsageError("no command") }
    let group = Commands.all.filter { $0.words.count > 1 && $0.words[0] == first }.map { $0.name }
    guard group.isEmpty else { throw UsageError("\(first): do you mean \(group.joined(separator: " or "))?") }
    throw UsageError("\(first) is not a command")
  }

  private func complain(_ error: any Error, _ name: String?, _ output: Output) -> ProgramStatus {
    switch error {
    case let error as UsageError:
      output.complain("\(error) (assentctl --help says more)")
      return .usage
    case let error as CredentialsError:
      output.complain("\(error)")
      return .credentials
    case let error as RPCError:
      output.error(error, calling: name)
      return error.code == .unavailable || error.code == .deadlineExceeded ? .unavailable : .refused
    default:
      output.complain("\(name ?? "assentctl"): an answer that cannot be read")
      return .refused
    }
  }
}
