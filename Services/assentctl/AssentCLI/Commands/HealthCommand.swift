// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC

enum HealthCommand: Command {
  static let words = ["health"]
  static let summary = "says whether the gateway and each service can serve; status 1 when one cannot"

  static func run(_ arguments: Arguments, _ session: Session) async throws -> ProgramStatus {
    guard arguments.words.isEmpty else { throw UsageError("health takes no words") }
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
    return health.status == .serving ? .done : .refused
  }
}
