// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import RPC

/// What the holder of a CURVE key is here.
public enum PeerRole: Hashable, Sendable, CustomStringConvertible {
  case gateway
  case service(String)
  case `operator`
  /// A client of the gateway's ZeroMQ face.
  case client(String)

  /// `gateway`, `operator`, `service:<name>` or `client:<name>`; a name is 1 to 64 of `A-Z a-z 0-9 . _ -`.
  public init?(_ text: some StringProtocol) {
    switch text {
    case "gateway": self = .gateway
    case "operator": self = .operator
    default:
      guard let colon = text.firstIndex(of: ":") else { return nil }
      let name = String(text[text.index(after: colon)...])
      guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(PeerRole.isNameCharacter) else { return nil }
      switch text[..<colon] {
      case "service": self = .service(name)
      case "client": self = .client(name)
      default: return nil
      }
    }
  }

  public var description: String {
    switch self {
    case .gateway: "gateway"
    case .operator: "operator"
    case .service(let name): "service:\(name)"
    case .client(let name): "client:\(name)"
    }
  }

  /// As its messages are seen.
  var peer: Peer {
    switch self {
    case .gateway: .gateway
    case .operator: .operator
    case .service(let name): .service(name)
    case .client(let name): .client(name)
    }
  }

  private static func isNameCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
