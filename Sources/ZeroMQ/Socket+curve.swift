// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

extension Socket {
  /// Before `bind`: connections of this endpoint are encrypted and their keys judged by `zap`. Binding again after
  /// another call serves that pair beside this one.
  ///
  /// The options behind it can be set in no other way, and a `ZapSocket` exists only while it is bound: without a handler
  /// libzmq 4.3.4 lets any key in.
  /// - Parameter zap: of this socket's context.
  public func serveCurve(_ pair: CurveKeyPair, domain: String, judgedBy zap: ZapSocket) throws(ZeroMQError) {
    precondition(zap.judges(self), "a ZAP handler judges the connections of its own context")
    try set(.zapDomain, domain)
    try set(.curveServer, true)
    try set(.curveSecretKey, pair.secretKey.bytes)
  }

  /// Before `connect`: the connection is encrypted, to the holder of `server`'s secret half only.
  /// - Parameter pair: by which the server knows this side.
  public func useCurve(server: CurvePublicKey, as pair: CurveKeyPair) throws(ZeroMQError) {
    try set(.curveServerKey, server.bytes)
    try set(.curvePublicKey, pair.publicKey.bytes)
    try set(.curveSecretKey, pair.secretKey.bytes)
  }
}
