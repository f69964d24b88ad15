// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Which members of a batch may start: those of one subject run in the array's order, except that reads beside each other
/// run side by side, since no order of theirs can be told from another; members of different subjects do not wait for
/// each other.
enum BatchOrder {
  struct Member {
    /// Its credential is still being checked: whose it is nobody knows, so all after it wait.
    var isUndecided: Bool
    var isFinished: Bool
    var isWrite: Bool
    /// Nil: in nobody's order.
    var subject: String?
  }

  /// Whether the member at `index` waits for none before it.
  static func mayStart(_ index: Int, of members: [Member]) -> Bool {
    let member = members[index]
    for earlier in members[..<index] where !earlier.isFinished {
      if earlier.isUndecided { return false }
      guard let subject = member.subject, earlier.subject == subject else { continue }
      if member.isWrite || earlier.isWrite { return false }
    }
    return true
  }
}

/// Whom a request's params name, for a batch's order.
struct NamedSubject: Decodable {
  private struct Params: Decodable {
    var accountId: String?
    var deviceId: String?
  }
  private var params: Params?

  /// `a:<account>`, `d:<device>`, or empty where neither is named.
  var text: String { params?.accountId.map { "a:\($0)" } ?? params?.deviceId.map { "d:\($0)" } ?? "" }
}
