// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CCurl

/// Posts bodies to one URL over a connection that it keeps: a handle of libcurl. For one thread, which it blocks.
public final class HTTPPoster {
  /// How a server answered.
  public struct Answer: Sendable, Equatable {
    public var status: Int
    /// What `Retry-After` says, as seconds from now; nil without the header.
    public var retryAfterSeconds: Int?
  }

  private let raw: UnsafeMutableRawPointer
  private var headers: UnsafeMutablePointer<curl_slist>?

  /// Once in a process, before other threads use it (curl_global_init(3)).
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// - Parameters:
  ///   - url: http or https; redirects are not followed.
  ///   - headers: `Name: value`, without line ends.
  ///   - authorities: a file of certificates in place of the system's.
  /// - Throws: `CurlError` for what is no URL.
  public init(url: String, headers: [String], authorities: String? = nil) throws(CurlError) {
    guard HTTPPoster.isReady, let handle = curl_easy_init() else { throw CurlError(code: CURLE_FAILED_INIT) }
    raw = handle
    // Set as an option it is looked at only when it is used.
    let parsed = curl_url()
    defer { curl_url_cleanup(parsed) }
    guard curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK else {
      throw CurlError(code: CURLE_URL_MALFORMAT)
    }
    for header in headers { self.headers = curl_slist_append(self.headers, header) }
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_URL, url)
    // No signals for timeouts: other threads would get them.
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_POST, 1)
    if let authorities { try set(CURLOPT_CAINFO, authorities) }
    try CurlError.check(assent_curl_drop_bodies(raw))
    try CurlError.check(assent_curl_set_headers(raw, self.headers))
  }

  deinit {
    curl_easy_cleanup(raw)
    curl_slist_free_all(headers)
  }

  /// Posts and waits for the answer.
  /// - Throws: `CurlError` when there is none within so many milliseconds.
  public func post(_ body: [UInt8], timeout milliseconds: Int) throws(CurlError) -> Answer {
    try set(CURLOPT_TIMEOUT_MS, milliseconds)
    try set(CURLOPT_POSTFIELDSIZE, body.count)
    let code: CURLcode = body.withUnsafeBytes { bytes in
      // Not copied, and used by the call below only.
      _ = assent_curl_set_text(raw, CURLOPT_POSTFIELDS, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
      return curl_easy_perform(raw)
    }
    _ = assent_curl_set_text(raw, CURLOPT_POSTFIELDS, nil)
    try CurlError.check(code)
    let wait = assent_curl_retry_after(raw)
    return Answer(status: assent_curl_status(raw), retryAfterSeconds: wait > 0 ? Int(wait) : nil)
  }

  private func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
    try CurlError.check(assent_curl_set_number(raw, option, value))
  }

  private func set(_ option: CURLoption, _ value: String) throws(CurlError) {
    try CurlError.check(assent_curl_set_text(raw, option, value))
  }
}
