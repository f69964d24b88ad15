// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A connection that asks to be let in.
public struct ZapRequest: Sendable {
  /// What the listening socket was given as its domain.
  public let domain: String
  /// The peer's IP address.
  public let address: String
  /// Nil when the connection does not use CURVE.
  public let publicKey: CurvePublicKey?
}

/// What becomes of it.
public enum ZapVerdict: Sendable, Equatable {
  /// `userID` is what `MultipartMessage.withUserID` gives of each of its messages.
  case accepted(userID: String)
  /// The peer is told so; libzmq does not try again by itself.
  case refused
}

/// The ZAP handler of a context: libzmq asks it about every connection of a CURVE server. Bound from `init` to `close()`.
///
/// Source: ZeroMQ RFC 27 (ZAP), version 1.0.
public final class ZapSocket {
  static let endpoint = "inproc://zeromq.zap.01"
  /// The property of a connection that holds its public key in Z85.
  static let keyProperty: StaticString = "Assent-Key"

  /// For polling.
  public let socket: Socket
  private let context: Context
  private let message = MultipartMessage(frameLimit: 12, byteLimit: 16 << 10)

  /// - Throws: `addressInUse` when the context has a handler.
  public init(in context: Context) throws(ZeroMQError) {
    self.context = context
    socket = try Socket(.router, in: context)
    try socket.bind(ZapSocket.endpoint)
  }

  /// CURVE servers that are still open let anybody in from now on.
  public func close() { socket.close() }

  func judges(_ other: Socket) -> Bool { other.isOf(context) && socket.handle != nil }

  /// Answers the next connection that asks. Does not wait.
  /// - Returns: false when none asks.
  public func answerNext(_ judge: (ZapRequest) -> ZapVerdict) throws(ZeroMQError) -> Bool {
    guard try message.receive(from: socket) else { return false }
    guard let question = ZapQuestion(message) else { return true }
    let verdict = question.request.map(judge) ?? .refused
    do throws(ZeroMQError) {
      _ = try socket.send(frames: question.answer(verdict))
    } catch  where error == .hostUnreachable {
      // The connection has gone meanwhile.
    }
    return true
  }
}

/// A request as it came, with its way back.
private struct ZapQuestion {
  private static let version = Array("1.0".utf8)
  /// Routing id and delimiter.
  private let route: [[UInt8]]
  private let number: [UInt8]
  /// Nil when it is of another version or malformed.
  let request: ZapRequest?

  /// Nil when it cannot be answered.
  init?(_ message: MultipartMessage) {
    guard message.count >= 4, message[1].isEmpty else { return nil }
    route = [Array(message[0]), []]
    number = Array(message[3])
    // Routing id, delimiter, version, number, domain, address, routing id of the peer, mechanism, credentials.
    guard message.count >= 8, !message.hasTooManyFrames, Array(message[2]) == ZapQuestion.version else {
      request = nil
      return
    }
    let isCurve = message[7].elementsEqual("CURVE".utf8) && message.count == 9
    request = ZapRequest(
      domain: String(decoding: message[4], as: UTF8.self), address: String(decoding: message[5], as: UTF8.self),
      publicKey: isCurve ? CurvePublicKey(bytes: Array(message[8])) : nil)
  }

  func answer(_ verdict: ZapVerdict) -> [[UInt8]] {
    let head = route + [ZapQuestion.version, number]
    switch verdict {
    case .accepted(let userID):
      var properties: [UInt8] = []
      if let key = request?.publicKey { properties = ZapQuestion.property(ZapSocket.keyProperty, key.z85) }
      return head + ["200", "OK", userID].map { Array($0.utf8) } + [properties]
    case .refused: return head + ["400", "not listed", "", ""].map { Array($0.utf8) }
    }
  }

  /// As ZMTP writes a property: lengths of one and of four bytes.
  private static func property(_ name: StaticString, _ value: String) -> [UInt8] {
    let name = Array("\(name)".utf8)
    var bytes = [UInt8(name.count)] + name
    withUnsafeBytes(of: UInt32(value.utf8.count).bigEndian) { bytes += $0 }
    return bytes + Array(value.utf8)
  }
}
