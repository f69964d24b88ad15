// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Threading

/// Gathers the replies of a batch's members, in the batch's order, until all are there.
final class BatchReply: Sendable {
  private struct State {
    var members: [[UInt8]]
    var missing: Int
    var room: Int
  }
  private let state: Lock<State>
  private let complete: @Sendable ([UInt8]) -> Void

  /// - Parameters:
  ///   - byteLimit: of all members together; what no longer fits is answered RESOURCE_EXHAUSTED.
  ///   - complete: called once with the array of answers, or with no bytes when every member was a notification.
  init(count: Int, byteLimit: Int, complete: @escaping @Sendable ([UInt8]) -> Void) {
    state = Lock(State(members: Array(repeating: [], count: count), missing: count, room: byteLimit))
    self.complete = complete
  }

  /// - Parameter bytes: the member's response object, empty for a notification.
  func set(_ index: Int, _ bytes: [UInt8]) {
    let done: [[UInt8]]? = state.withLock { state in
      state.room -= bytes.count
      state.members[index] = state.room >= 0 ? bytes : Self.tooLarge(bytes)
      state.missing -= 1
      return state.missing == 0 ? state.members.filter { !$0.isEmpty } : nil
    }
    guard let done else { return }
    complete(done.isEmpty ? [] : Response.batch(done))
  }

  /// In place of a reply that no longer fits. What it did is done.
  private static func tooLarge(_ body: [UInt8]) -> [UInt8] {
    guard !body.isEmpty else { return [] }
    let id: RequestID? = body.withUnsafeBytes {
      switch Response.parse($0) {
      case .result(let id, _): id
      case .error(let id, _): id
      }
    }
    return Response.error(
      id,
      .resourceExhausted(
        "the batch's replies are too large: send fewer calls", reason: "batchReplySize", processed: .yes))
  }
}
