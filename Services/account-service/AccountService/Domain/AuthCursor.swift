// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Where a gateway stands in the authentication changes of every app: the revision of each app's `x:auth` head, which
/// every such change takes, so that revisions are in the order of commits.
struct AuthCursor: Sendable, Hashable, CustomStringConvertible {
  /// Of the store: a restored or replaced one starts over.
  var epoch: String
  /// An app that is missing here has not been read at all.
  var revisions: [String: Int64]

  init(epoch: String, revisions: [String: Int64]) {
    self.epoch = epoch
    self.revisions = revisions
  }

  /// Nil unless `text` is a cursor.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    epoch = String(parts[0])
    revisions = [:]
    for item in parts[1].split(separator: ",") {
      let pair = item.split(separator: ":", omittingEmptySubsequences: false)
      guard pair.count == 2, let revision = Int64(pair[1]), revision >= 0 else { return nil }
      revisions[String(pair[0])] = revision
    }
  }

  /// `<epoch>/<app>:<revision>,…` in the order of the apps' names, so that equal cursors are equal text.
  var description: String {
    epoch + "/" + revisions.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
  }

  /// Whether this can be continued from: it is of this store, and knows nothing that the store does not.
  func isBehind(_ heads: AuthCursor) -> Bool {
    epoch == heads.epoch && revisions.allSatisfy { $0.value <= heads.revisions[$0.key] ?? -1 }
  }
}
