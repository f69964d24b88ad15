// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer

/// What browsers are told about requests from other origins' pages. Credentials are sent by the page itself, in a header,
/// never by the browser, so no answer allows cookies.
///
/// Source: WHATWG Fetch, section 3.2.
enum CORS {
  static let vary = HTTPHeader("Vary", "Origin")
  static let exposed = HTTPHeader("Access-Control-Expose-Headers", "Retry-After")
  static let allowHeader = HTTPHeader("Allow", "POST, OPTIONS")
  static let preflight = [
    HTTPHeader("Access-Control-Allow-Methods", "POST, GET"),
    HTTPHeader(
      "Access-Control-Allow-Headers",
      "Authorization, Content-Type, Idempotency-Key, Assent-Timeout, traceparent, X-Request-Id, Last-Event-ID"),
    HTTPHeader("Access-Control-Max-Age", "600"),
  ]

  static func allow(_ origin: String) -> HTTPHeader { HTTPHeader("Access-Control-Allow-Origin", origin) }
}
