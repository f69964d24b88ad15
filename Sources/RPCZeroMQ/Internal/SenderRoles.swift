// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import RPC
internal import ZeroMQ

/// Who sends on a CURVE endpoint: what the handshake found, looked up by the name libzmq keeps of it with each message.
struct SenderRoles {
  private let ring: KeyRing
  /// Of the message before: most come from the same few peers.
  private var lastName: [CChar] = [0]
  private var lastRole = (role: PeerRole.gateway, peer: Peer.unknown)
  private var known: [String: (role: PeerRole, peer: Peer)] = [:]
  /// Names come from the peers file alone, so this is reached only by changing it very often.
  private static let limit = 4_096

  init(_ ring: KeyRing) { self.ring = ring }

  /// - Returns: nil when the connection's key has been taken off the list.
  @inline(__always)
  mutating func peer(of message: MultipartMessage) -> Peer? {
    let isKnown = message.withUserID { name in name.map { find($0) } ?? false }
    guard isKnown else { return nil }
    if ring.mayHoldStrangers, !ring.stillAdmits(message.senderKey, as: lastRole.role) { return nil }
    return lastRole.peer
  }

  @inline(__always)
  private mutating func find(_ name: UnsafePointer<CChar>) -> Bool {
    var index = 0
    while name[index] == lastName[index] {
      if name[index] == 0 { return index > 0 }
      index += 1
    }
    return look(up: name)
  }

  @inline(never)
  private mutating func look(up name: UnsafePointer<CChar>) -> Bool {
    let text = String(cString: name)
    guard let found = known[text] ?? PeerRole(text).map({ ($0, $0.peer) }) else { return false }
    if known.count >= SenderRoles.limit { known = [:] }
    known[text] = found
    lastName = Array(text.utf8CString)
    lastRole = found
    return true
  }
}
