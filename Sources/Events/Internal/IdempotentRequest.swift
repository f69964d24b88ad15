// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC
internal import RPC
internal import SQLStore

/// A request that may come again under the same key, and what is kept of its first outcome. The key itself is not kept:
/// it is the client's text.
struct IdempotentRequest: Sendable {
  /// How long the first outcome is given again.
  static let keptMilliseconds: Int64 = 24 * 60 * 60 * 1000

  private let subject: Subject
  /// Hash of caller, method and key, behind the number that a gateway counted into its key.
  private let scope: [UInt8]
  /// Hash of the params.
  private let params: [UInt8]

  /// Nil when the request has no key.
  init?(_ context: CallContext, _ subject: Subject, method: String, params: some Encodable) throws {
    guard let key = context.idempotencyKey else { return nil }
    self.subject = subject
    var name = Array(context.principal.identity.utf8)
    name.append(0)
    name += method.utf8
    name.append(0)
    name += key.utf8
    scope = Self.place(of: key) + Self.hash(name)
    self.params = Self.hash(try JSON.canonical(params))
  }

  /// The subject's head as `generation, seq, state`, and behind it what is kept of an earlier request under the key, NULL
  /// if there was none.
  var lookup: SQLStatement {
    SQLStatement(
      """
      SELECT h.generation, h.seq, h.state, i.generation, i.params, i.reply, i.at
      FROM subject_head h LEFT JOIN idempotency i ON i.app = h.app AND i.scope = $3 AND i.subject = h.subject
      WHERE h.app = $1 AND h.subject = $2
      """, .text(subject.app), .text(subject.id), .blob(scope))
  }

  /// The reply of the first outcome, if that was within 24 hours and in the subject's present generation.
  /// - Parameter row: of `lookup`, with an earlier request in it.
  /// - Throws: FAILED_PRECONDITION when that was to other params.
  func outcome(_ row: SQLRow, _ head: Head, _ now: Timestamp) throws(RPCError) -> String? {
    guard row.int(3) == head.generation, row.int(6) > now.milliseconds - Self.keptMilliseconds else { return nil }
    guard row.blob(4) == params else {
      throw .failedPrecondition(
        "the idempotency key was used for other params", reason: "idempotencyKeyReused")
    }
    return row.text(5)
  }

  /// - Parameter again: in place of an earlier outcome.
  func keep(_ reply: String, _ head: Head, _ now: Timestamp, again: Bool) -> SQLStatement {
    let values: [SQLValue] = [
      .text(subject.app), .blob(scope), .text(subject.id), .integer(head.generation), .blob(params), .text(reply),
      .integer(now.milliseconds),
    ]
    guard again else {
      return SQLStatement(
        """
        INSERT INTO idempotency (app, scope, subject, generation, params, reply, at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        """, parameters: values)
    }
    return SQLStatement(
      """
      UPDATE idempotency SET generation = $4, params = $5, reply = $6, at = $7
      WHERE app = $1 AND scope = $2 AND subject = $3
      """, parameters: values)
  }

  /// Where a key's record lies: keys that a gateway made for calls without one end in a number that it counts up, and
  /// records that lie side by side share pages. One page a record would be most of what a write costs.
  private static func place(of key: String) -> [UInt8] {
    guard key.hasPrefix("gateway-"), let dash = key.utf8.lastIndex(of: UInt8(ascii: "-")),
      let number = UInt64(key[key.utf8.index(after: dash)...], radix: 36)
    else { return [] }
    return withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// 128 bits: whoever finds two texts of one hash deceives himself alone.
  private static func hash(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(bytes).prefix(16)) }
}
