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
    /// What the first member was refused with.
    var refusal: ErrorCode?
    /// Members that were refused before they had begun.
    var refused = 0
  }
  private let state: Lock<State>
  private let complete: @Sendable ([UInt8], _ refusal: ErrorCode?) -> Void

  /// - Parameters:
  ///   - byteLimit: of all members together; what no longer fits is answered RESOURCE_EXHAUSTED.
  ///   - complete: called once with the array of answers, or with no bytes when every member was a notification; and
  ///     with an error code if every member was refused before it had begun.
  init(count: Int, byteLimit: Int, complete: @escaping @Sendable ([UInt8], _ refusal: ErrorCode?) -> Void) {
    state = Lock(State(members: Array(repeating: [], count: count), missing: count, room: byteLimit))
    self.complete = complete
  }

  /// - Parameters:
  ///   - bytes: the member's response object, empty for a notification.
  ///   - refusedWith: if it was refused before it had begun.
  func set(_ index: Int, _ bytes: [UInt8], refusedWith code: ErrorCode?) {
    let done: ([[UInt8]], ErrorCode?)? = state.withLock { state in
      if let code {
        state.refused += 1
        state.refusal = state.refusal ?? code
      }
      state.room -= bytes.count
      state.members[index] = state.room >= 0 ? bytes : Self.tooLarge(bytes)
      state.missing -= 1
      guard state.missing == 0 else { return nil }
      let isRefused = state.refused == state.members.count
      return (state.members.filter { !$0.isEmpty }, isRefused ? state.refusal : nil)
    }
    guard let (members, refusal) = done else { return }
    complete(members.isEmpty ? [] : Response.batch(members), refusal)
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
