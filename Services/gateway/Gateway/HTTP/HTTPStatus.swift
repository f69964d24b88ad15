// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer
internal import JSONRPC

/// The HTTP status of an answer: 200 for JSON-RPC errors too, except where HTTP clients and proxies act on the status.
enum HTTPStatus {
  static func of(_ answer: Answer) -> Int {
    guard let code = answer.errorCode else { return answer.body.isEmpty ? 204 : 200 }
    switch ErrorCode(rawValue: code) {
    case .parseError, .invalidRequest: return 400
    case .unauthenticated: return 401
    case .resourceExhausted: return 429
    case .unavailable: return 503
    default: return answer.body.isEmpty ? 204 : 200
    }
  }

  /// - Parameter milliseconds: the header says whole seconds, more rather than less.
  static func retryAfter(_ milliseconds: Int) -> HTTPHeader {
    HTTPHeader("Retry-After", String((milliseconds + 999) / 1000))
  }

  static func headers(_ status: Int, _ answer: Answer, _ headers: [HTTPHeader]) -> [HTTPHeader] {
    switch status {
    case 401: return headers + [HTTPHeader("WWW-Authenticate", "Bearer")]
    case 429, 503:
      guard let wait = answer.retryAfterMs else { return headers }
      return headers + [retryAfter(wait)]
    default: return headers
    }
  }
}
