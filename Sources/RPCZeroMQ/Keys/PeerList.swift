// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import ZeroMQ

/// Whose keys a program knows: whom it lets in as what, and by which keys it knows the servers it calls.
///
/// A line of its file is `ROLE KEY`, the key in Z85. A role may have several keys, the newest first: all are let in, and a
/// server is known by each of them. Lines that begin with `#` are notes.
public struct PeerList: Sendable, Equatable {
  let roles: [CurvePublicKey: PeerRole]
  private let keys: [PeerRole: [CurvePublicKey]]

  /// - Parameter path: for errors.
  /// - Throws: `KeyFileError`.
  public init(_ text: String, path: String) throws(KeyFileError) {
    var roles: [CurvePublicKey: PeerRole] = [:]
    var keys: [PeerRole: [CurvePublicKey]] = [:]
    for line in KeyFileLine.lines(of: text) {
      guard line.words.count == 2, let role = PeerRole(line.words[0]) else {
        throw KeyFileError(
          path, line.number, "must be ROLE KEY, the role gateway, operator, service:<name> or client:<name>")
      }
      guard let key = CurvePublicKey(z85: line.words[1]) else {
        throw KeyFileError(path, line.number, "the key is not 40 characters of Z85")
      }
      guard let other = roles.updateValue(role, forKey: key) else {
        keys[role, default: []].append(key)
        continue
      }
      guard other == role else { throw KeyFileError(path, line.number, "this key is also listed as \(other)") }
    }
    self.roles = roles
    self.keys = keys
  }

  /// The keys of a role, as listed.
  public func keys(of role: PeerRole) -> [CurvePublicKey] { keys[role] ?? [] }

  /// Whether some key of `older` is not listed here, or as something else.
  func lacksKeys(of older: PeerList) -> Bool { older.roles.contains { roles[$0.key] != $0.value } }
}
