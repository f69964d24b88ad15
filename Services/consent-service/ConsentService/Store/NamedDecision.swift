// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore
internal import SettingsContracts

/// A decision that the client gave a name, so that it can be sent again at any time without being made again.
struct NamedDecision: Sendable {
  let id: String
  /// What was asked: canonical JSON of what a repeat must agree in.
  let asked: String

  /// - Parameter asked: everything that makes the decision what it is.
  /// - Throws: -32602 unless `id` is a UUID.
  init(_ id: String, asked: JSONValue) throws {
    guard Self.isUUID(id) else {
      throw RPCError.invalidParams("decisionId", "not a UUID, such as 550e8400-e29b-41d4-a716-446655440000")
    }
    self.id = id.lowercased()
    self.asked = String(decoding: try JSON.canonical(asked), as: UTF8.self)
  }

  func statement(_ subject: Subject) -> SQLStatement {
    SQLStatement(
      "SELECT asked, outcome FROM consent_decision WHERE app = $1 AND subject = $2 AND decision_id = $3",
      .text(subject.app), .text(subject.id), .text(id))
  }

  /// What the first call of this name led to, without texts, if there was one.
  /// - Throws: FAILED_PRECONDITION `decisionIdReused` when it asked for something else.
  func firstOutcome(_ rows: SQLRows) throws -> ConsentState? {
    guard let row = rows.first else { return nil }
    guard row.text(0) == asked else {
      throw RPCError.failedPrecondition(
        "decisionId: names an earlier decision with other params", reason: "decisionIdReused", field: "decisionId")
    }
    return try JSON.decode(KeptState.self, from: row.text(1)).state
  }

  /// What is kept for repeats.
  func effect(_ outcome: ConsentState) throws -> ConsentEffect.Decision {
    ConsentEffect.Decision(id: id, asked: asked, outcome: try JSON.encodeString(KeptState(outcome)))
  }

  /// RFC 9562: 8-4-4-4-12 hexadecimal digits.
  private static func isUUID(_ text: String) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12]
      && groups.joined().allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
          UInt8(ascii: "A")...UInt8(ascii: "F"):
          true
        default: false
        }
      }
  }
}
