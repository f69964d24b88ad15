// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC

enum HealthCommand: Command {
  static let words = ["health"]
  static let summary = "says whether the gateway and each service can serve; status 1 when one cannot"
  static let usage = "[NAME\u{2026}]"
  static let details = """
    With NAMEs only those count for the status, such as gateway for a probe of the gateway alone, which serves what it can
    while a service is away.
    """

  static func run(_ arguments: Arguments, _ session: Session) async throws -> ProgramStatus {
    let health = try await session.call(RuntimeMethods.health, Empty())
    if session.output.isJSON {
      session.output.result(try JSON.encode(health))
    } else {
      let services = health.services.sorted { $0.key < $1.key }.map { [$0.key, $0.value.rawValue] }
      session.output.table([["all", health.status.rawValue]] + services)
      for (service, reason) in (health.reasons ?? [:]).sorted(by: { $0.key < $1.key }) {
        session.output.line("\(service): \(reason)")
      }
    }
    let names = arguments.words.isEmpty ? Array(health.services.keys) : arguments.words
    for name in names where health.services[name] == nil { session.output.complain("\(name) is not known here") }
    let isServing = names.allSatisfy { health.services[$0] == .serving }
    // What the program says of itself counts where nothing narrower was asked for.
    return isServing && (health.status == .serving || !arguments.words.isEmpty) ? .done : .refused
  }
}
