// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import SettingsContracts

enum RecoverCommand: Command {
  static let words = ["recover"]
  static let summary = "brings a service whose store was restored from a backup up to date from audit-service"
  static let usage = "SERVICE"
  static let details = """
    Talks to the service itself: over its socket in ASSENT_BUS_DIR (or DATA/bus), or, with an operator's CURVE key, at
    its --endpoint. May be stopped and run again at any time; status 0 means that the service serves.
      assentctl recover consent-service
    """
  private static let pauseMilliseconds = 200

  static func run(_ arguments: Arguments, _ session: Session) async throws -> ProgramStatus {
    guard arguments.words.count == 1 else { throw UsageError("recover needs one SERVICE") }
    let service = arguments.words[0]
    let link = try await session.operate(service)
    var shown: RecoverResult?
    while true {
      let result = try await link.call(RecoverMethods.recover, Empty())
      if result.state != .running {
        if session.output.isJSON {
          session.output.result(try JSON.encode(result))
        } else {
          let isOthers = shown != nil && result.state == .notNeeded
          session.output.line(isOthers ? "\(service) serves: another replica was first" : text(result, service))
        }
        return .done
      }
      if !session.output.isJSON, result != shown { session.output.line(text(result, service)) }
      shown = result
      try await Task.sleep(for: .milliseconds(pauseMilliseconds))
    }
  }

  private static func text(_ result: RecoverResult, _ service: String) -> String {
    var counts = "\(result.replayed) of its events replayed, \(result.taken) of others taken"
    if result.rebased > 0 { counts += ", \(result.rebased) written since the restore put behind them" }
    if result.erased > 0 { counts += ", \(result.erased) persons or devices erased again" }
    switch result.state {
    case .running: return "\(service): \(counts)" + (result.app.map { ", at work on the app \($0)" } ?? "")
    case .done: return "\(service) serves: \(counts)"
    case .notNeeded: return "\(service) lacks nothing"
    }
  }
}
