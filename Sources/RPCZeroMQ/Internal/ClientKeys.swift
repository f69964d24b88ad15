// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import ZeroMQ

/// The keys of a client's connections to one server: which pair it uses, and which server keys it takes for its server's.
struct ClientKeys {
  struct Choice {
    let server: CurvePublicKey
    let pair: CurveKeyPair
  }
  let ring: KeyRing
  let server: PeerRole

  /// For the connection after `refusals` that were refused: the server's keys in turn. Nil while none is listed.
  func choice(after refusals: Int) -> Choice? {
    let keys = ring.peers.keys(of: server)
    return keys.isEmpty ? nil : Choice(server: keys[refusals % keys.count], pair: ring.pair)
  }

  /// Whether the server's key is one of its keys still.
  func isListed(_ choice: Choice) -> Bool { ring.peers.keys(of: server).contains(choice.server) }

  /// Whether a connection made now would be made with others.
  func isOutdated(_ choice: Choice) -> Bool {
    choice.server != ring.peers.keys(of: server).first || choice.pair.publicKey != ring.pair.publicKey
  }
}
