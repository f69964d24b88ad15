// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC

/// The response object to one call. A result that is the same for all callers stands in it uncopied until the message's
/// answer is written.
struct Reply {
  /// All of it, or what stands before `shared`.
  private let bytes: [UInt8]
  private let shared: [UInt8]?

  /// - Parameter bytes: the whole; empty for a notification.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    shared = nil
  }

  /// - Parameter result: one JSON value.
  init(_ id: RequestID, sharing result: [UInt8]) {
    // A response with an empty result ends with the brace that goes behind it.
    bytes = Response.result(id, []).dropLast()
    shared = result
  }

  var isEmpty: Bool { bytes.isEmpty }
  var count: Int { bytes.count + (shared.map { $0.count + 1 } ?? 0) }

  var whole: [UInt8] {
    guard shared != nil else { return bytes }
    var whole: [UInt8] = []
    whole.reserveCapacity(count)
    write(to: &whole)
    return whole
  }

  private func write(to text: inout [UInt8]) {
    text += bytes
    guard let shared else { return }
    text += shared
    text.append(UInt8(ascii: "}"))
  }

  /// The answer to a batch; empty when there is none (a batch of notifications).
  static func batch(_ members: [Reply]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(members.reduce(1) { $0 + $1.count + 1 })
    for member in members where !member.isEmpty {
      text.append(text.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
      member.write(to: &text)
    }
    if !text.isEmpty { text.append(UInt8(ascii: "]")) }
    return text
  }
}
