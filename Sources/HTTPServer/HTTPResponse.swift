// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// One header of a response.
public struct HTTPHeader: Sendable, Hashable {
  public let name: String
  public let value: String
  /// - Precondition: no CR or LF in either.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  public static let json = HTTPHeader("Content-Type", "application/json")
  public static let plainText = HTTPHeader("Content-Type", "text/plain; charset=utf-8")
  public static let noStore = HTTPHeader("Cache-Control", "no-store")
}

/// A whole response. Date, Content-Length and Connection are added by the server.
public struct HTTPResponse: Sendable {
  public var status: Int
  public var headers: [HTTPHeader]
  public var body: [UInt8]

  public init(_ status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  public static func text(_ status: Int, _ text: String) -> HTTPResponse {
    HTTPResponse(status, headers: [.plainText], body: Array((text + "\n").utf8))
  }
}
