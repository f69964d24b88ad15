// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CCurl

/// Why libcurl could not do something.
///
/// Source: libcurl-errors(3).
public struct CurlError: Error, CustomStringConvertible, Equatable {
  /// `CURLcode`.
  public let code: UInt32

  init(code: CURLcode) { self.code = code.rawValue }

  static func check(_ code: CURLcode) throws(CurlError) {
    if code != CURLE_OK { throw CurlError(code: code) }
  }

  /// libcurl's words for it, which hold nothing of the request.
  public var description: String { String(cString: curl_easy_strerror(CURLcode(rawValue: code))) }
}
