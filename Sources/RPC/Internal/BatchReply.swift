// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Threading

/// Gathers the replies of a batch's members, in the batch's order, until all are there.
final class BatchReply: Sendable {
  private struct State {
    var members: [[UInt8]]
    var missing: Int
  }
  private let state: Lock<State>
  private let complete: @Sendable ([UInt8]) -> Void

  /// - Parameter complete: called once with the array of answers, or with no bytes when every member was a notification.
  init(count: Int, complete: @escaping @Sendable ([UInt8]) -> Void) {
    state = Lock(State(members: Array(repeating: [], count: count), missing: count))
    self.complete = complete
  }

  /// - Parameter bytes: the member's response object, empty for a notification.
  func set(_ index: Int, _ bytes: [UInt8]) {
    let done: [[UInt8]]? = state.withLock { state in
      state.members[index] = bytes
      state.missing -= 1
      return state.missing == 0 ? state.members.filter { !$0.isEmpty } : nil
    }
    guard let done else { return }
    complete(done.isEmpty ? [] : Response.batch(done))
  }
}
