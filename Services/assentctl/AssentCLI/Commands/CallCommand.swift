// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC

enum CallCommand: Command {
  static let words = ["call"]
  static let summary = "calls any method and prints its result"
  static let usage = "METHOD [PARAMS]"
  static let details = """
    PARAMS is a JSON object, - for standard input, or @FILE; {} when left out:
      assentctl call consent.get '{"accountId":"maya"}'
      assentctl call consent.get --as demo
    """
  static let options = [
    Option("--idempotency-key", "KEY", "repeating the call with the same key gives the first outcome")
  ]

  static func run(_ arguments: Arguments, _ session: Session) async throws -> ProgramStatus {
    guard let method = arguments.words.first else { throw UsageError("call needs a METHOD") }
    guard arguments.words.count <= 2 else { throw UsageError("call takes METHOD and PARAMS: quote the JSON") }
    let params = try params(arguments.words.dropFirst().first)
    let result = try await session.call(
      method, params, idempotencyKey: arguments.value("--idempotency-key"))
    session.output.result(result.bytes)
    return .done
  }

  private static func params(_ word: String?) throws(UsageError) -> RawJSON {
    let text: [UInt8]
    switch word {
    case nil: text = Array("{}".utf8)
    case "-":
      guard let input = FileBytes.all(of: 0) else { throw FileBytes.failure("standard input", "read") }
      text = input
    case let word? where word.hasPrefix("@"): text = try FileBytes.read(String(word.dropFirst()))
    case let word?: text = Array(word.utf8)
    }
    do {
      let value = try JSON.decode(JSONValue.self, from: text)
      guard value.objectValue != nil else { throw UsageError("PARAMS must be a JSON object: params go by name") }
      return try JSON.decode(RawJSON.self, from: text)
    } catch let error as UsageError {
      throw error
    } catch {
      throw UsageError("PARAMS is not JSON: \((error as? JSONDecodingError)?.problem ?? "unreadable")")
    }
  }
}
