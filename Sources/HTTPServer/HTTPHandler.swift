// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// What answers an `HTTPServer`'s requests. Every call comes on the thread that calls `HTTPServer.turn()`.
public protocol HTTPHandler: AnyObject {
  /// The longest body allowed for this request, in bytes. Asked when its head is there.
  func bodyLimit(for request: HTTPRequest) -> Int

  /// A whole request is there. Answer it with `HTTPServer.respond` now or later, exactly once, unless `clientLeft` comes
  /// first. `request` can be read during this call only.
  func receive(_ request: HTTPRequest, body: [UInt8])

  /// The client hung up before its request was answered or its stream ended: nobody waits any more.
  func clientLeft(_ id: HTTPRequestID)

  /// The answer to a request has left, or never will: its bytes are held no more. Not said of streams.
  func answerEnded(_ id: HTTPRequestID)

  /// The answer to a request that the server itself refuses; `receive` is not called for it.
  func refuse(_ request: HTTPRequest, _ refusal: HTTPRefusal) -> HTTPResponse
}

extension HTTPHandler {
  public func answerEnded(_ id: HTTPRequestID) {}

  public func refuse(_ request: HTTPRequest, _ refusal: HTTPRefusal) -> HTTPResponse {
    .text(refusal.status, refusal.message)
  }
}

/// A request that the server refuses before it reaches the handler.
public enum HTTPRefusal: Sendable, Hashable {
  /// The body is longer than the handler's limit, which is given in bytes.
  case bodyTooLarge(limit: Int)
  /// Where the body ends is ambiguous or unknown, or a header that may come once came twice: what another server in
  /// front might read differently (RFC 9112, section 6.3).
  case ambiguous(String)
  /// A transfer coding other than `chunked`.
  case unknownTransferCoding
  /// The client's address has more connections open than it may.
  case tooManyConnections(limit: Int)
  /// There is no memory for its body now.
  case overloaded

  public var status: Int {
    switch self {
    case .bodyTooLarge: 413
    case .ambiguous: 400
    case .unknownTransferCoding: 501
    case .tooManyConnections: 429
    case .overloaded: 503
    }
  }

  public var message: String {
    switch self {
    case .bodyTooLarge(let limit): "the body is longer than \(limit) bytes"
    case .ambiguous(let problem): problem
    case .unknownTransferCoding: "the only transfer coding is chunked"
    case .tooManyConnections(let limit): "more than \(limit) connections are open from this address"
    case .overloaded: "too many requests are being received"
    }
  }
}
