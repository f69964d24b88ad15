// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CZeroMQ

/// The half of a CURVE key pair that others know a program by.
public struct CurvePublicKey: Hashable, Sendable, CustomStringConvertible {
  public static let size = 32
  public let bytes: [UInt8]

  /// Nil unless there are 32 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == CurvePublicKey.size else { return nil }
    self.bytes = bytes
  }

  /// Nil unless it is 40 characters of Z85.
  public init?(z85 text: some StringProtocol) {
    guard let bytes = Z85.decode(text) else { return nil }
    self.init(bytes: bytes)
  }

  public var z85: String { Z85.encode(bytes) }
  public var description: String { z85 }
}

/// The half of a CURVE key pair that nobody else may know. Its description does not show it.
public struct CurveSecretKey: Sendable, CustomStringConvertible, CustomReflectable {
  let bytes: [UInt8]

  /// Nil unless it is 40 characters of Z85.
  public init?(z85 text: some StringProtocol) {
    guard let bytes = Z85.decode(text), bytes.count == CurvePublicKey.size else { return nil }
    self.bytes = bytes
  }

  fileprivate init(bytes: [UInt8]) { self.bytes = bytes }

  /// For the file it is kept in.
  public var z85: String { Z85.encode(bytes) }
  public var description: String { "a CURVE secret key" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// By which a program is known on its CURVE connections, as server and as client.
///
/// Source: ZeroMQ RFC 26 (CurveZMQ); zmq_curve(7).
public struct CurveKeyPair: Sendable {
  public let publicKey: CurvePublicKey
  public let secretKey: CurveSecretKey

  /// A new pair.
  /// - Throws: `ZeroMQError` (ENOTSUP) when libzmq was built without CURVE.
  public static func generate() throws(ZeroMQError) -> CurveKeyPair {
    var publicText = [CChar](repeating: 0, count: 41)
    var secretText = publicText
    try ZeroMQError.check(zmq_curve_keypair(&publicText, &secretText))
    return CurveKeyPair(publicKey: CurvePublicKey(text: publicText), secretKey: CurveSecretKey(text: secretText))
  }

  /// The pair of which this is the secret half: the other follows from it.
  /// - Throws: as `generate()`.
  public init(secretKey: CurveSecretKey) throws(ZeroMQError) {
    var publicText = [CChar](repeating: 0, count: 41)
    try ZeroMQError.check(zmq_curve_public(&publicText, secretKey.z85))
    self.init(publicKey: CurvePublicKey(text: publicText), secretKey: secretKey)
  }

  private init(publicKey: CurvePublicKey, secretKey: CurveSecretKey) {
    self.publicKey = publicKey
    self.secretKey = secretKey
  }
}

extension CurvePublicKey {
  /// What libzmq wrote: 40 characters and a zero.
  fileprivate init(text: [CChar]) { bytes = keyBytes(text) }
}

extension CurveSecretKey {
  fileprivate init(text: [CChar]) { self.init(bytes: keyBytes(text)) }
}

private func keyBytes(_ text: [CChar]) -> [UInt8] {
  guard let bytes = Z85.decode(String(decoding: text.prefix(40).map { UInt8(bitPattern: $0) }, as: UTF8.self)) else {
    preconditionFailure("libzmq wrote a key that is no Z85")
  }
  return bytes
}
