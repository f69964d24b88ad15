// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import SettingsContracts

enum SessionStartCommand: Command {
  static let words = ["session", "start"]
  static let summary = "signs a person in and prints the session's tokens"
  static let usage = "--account ID"
  static let details = """
    As the app's own sign-in does once it has verified the person:
      ASSENT_TOKEN=$(assentctl session start --account maya --token-only) assentctl call account.get
    """
  static let options = [
    Option("--account", "ID", "whom"),
    Option("--device", "ID", "on a device that is known; else a new one"),
    Option("--device-name", "NAME", "shown in the person's list of sessions"),
    Option("--authenticated-at", "TIME", "when the person was verified; now when left out"),
    Option("--token-only", nil, "print the access token alone"),
  ]

  static func run(_ arguments: Arguments, _ session: Session) async throws -> ProgramStatus {
    guard arguments.words.isEmpty else { throw UsageError("session start takes options only") }
    let params = SessionStartParams(
      accountId: try arguments.required("--account"), deviceId: arguments.value("--device"),
      deviceName: arguments.value("--device-name"),
      authenticatedAt: try arguments.time("--authenticated-at") ?? SystemClock().now())
    let grant = try await session.call(SessionMethods.start, params)
    if arguments.has("--token-only") {
      session.output.line(grant.token)
    } else {
      session.output.result(try JSON.encode(grant))
    }
    return .done
  }
}
