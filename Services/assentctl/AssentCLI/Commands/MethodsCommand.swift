// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC

enum MethodsCommand: Command {
  static let words = ["methods"]
  static let summary = "lists the methods the gateway answers, from its OpenRPC document"
  static let usage = "[PREFIX]"
  static let details = "With PREFIX only those that begin with it. With --json the whole OpenRPC document."

  /// What is read of an OpenRPC document.
  private struct Document: Decodable {
    struct Method: Decodable {
      var name: String
      var summary: String?
    }
    var methods: [Method]
  }

  static func run(_ arguments: Arguments, _ session: Session) async throws -> ProgramStatus {
    guard arguments.words.count <= 1 else { throw UsageError("methods takes one PREFIX") }
    let document = try await session.call(RuntimeMethods.discover, Empty())
    if session.output.isJSON {
      session.output.result(document.bytes)
      return .done
    }
    let prefix = arguments.words.first ?? ""
    let methods = try JSON.decode(Document.self, from: document.bytes).methods
      .filter { $0.name.hasPrefix(prefix) }.sorted { $0.name < $1.name }
    guard !methods.isEmpty else {
      session.output.complain("no method begins with \(prefix)")
      return .refused
    }
    session.output.table(methods.map { [$0.name, $0.summary ?? ""] })
    return .done
  }
}
