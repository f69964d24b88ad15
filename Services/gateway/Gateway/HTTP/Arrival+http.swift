// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer
internal import JSONRPC
internal import Tracing

extension Arrival {
  /// What the headers say.
  init(_ request: HTTPRequest, proxyHops: Int, _ usages: Usages) {
    source = Arrival.source(request, proxyHops, usages)
    staysUntilRead = true
    address = { Arrival.address(request.remoteAddress, request.list("X-Forwarded-For"), proxyHops: proxyHops) }
    if let authorization = request.headerBytes("Authorization") {
      credential = Arrival.bearer(authorization)
      if credential == nil {
        problem = .unauthenticated("Authorization must be: Bearer <credential>", reason: "authorizationScheme")
      }
    }
    idempotencyKey = request.header("Idempotency-Key")
    trace = request.headerBytes("traceparent").flatMap { TraceContext($0) }
    requestId = Arrival.requestId(request)
    locale = request.list("Accept-Language").flatMap { AcceptLanguage.preferred($0) }
    if let signal = request.headerBytes("Sec-GPC") { gpc = signal.elementsEqual(CollectionOfOne(UInt8(ascii: "1"))) }
    if let timeout = request.header("Assent-Timeout") {
      timeoutMs = Arrival.milliseconds(timeout)
      if timeoutMs == nil {
        var error = RPCError(
          .invalidRequest, "Assent-Timeout must be a whole number of ms or s above 0, such as 500ms or 2s",
          reason: "timeout")
        error.field = "Assent-Timeout"
        problem = problem ?? error
      }
    }
  }

  /// The client's own name for its calls, where it is one that is taken over.
  static func requestId(_ request: HTTPRequest) -> String? {
    request.header("X-Request-Id").flatMap { RequestNames.isName($0) ? $0 : nil }
  }

  /// Looked up once for all connections of an address; behind proxies for each request, since one connection carries
  /// those of many clients.
  static func source(_ request: HTTPRequest, _ proxyHops: Int, _ usages: Usages) -> Usage {
    if proxyHops > 0 {
      return usages.usage(of: address(request.remoteAddress, request.list("X-Forwarded-For"), proxyHops: proxyHops))
    }
    if let known = request.source.note as? Usage { return known }
    let usage = usages.usage(of: request.remoteAddress)
    request.source.note = usage
    return usage
  }

  /// The client's address: the connection's, or behind proxies what the outermost of them says, which is so many places
  /// from the end of `X-Forwarded-For`. What stands before that place the client may have made up.
  /// - Parameter forwardedFor: of all lines of that name: some proxies append to the client's line, others add their own.
  static func address(_ connection: String, _ forwardedFor: String?, proxyHops: Int) -> String {
    guard proxyHops > 0, let addresses = forwardedFor?.split(separator: ","), !addresses.isEmpty else {
      return connection
    }
    return HTTPSource.network(of: String(addresses.suffix(proxyHops).first!.filter { $0 != " " }.prefix(64)))
  }

  /// What stands after `Bearer `; the scheme in any case.
  ///
  /// Source: RFC 6750, section 2.1; RFC 9110, section 11.1.
  static func bearer(_ value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let scheme: StaticString = "bearer "
    let length = scheme.utf8CodeUnitCount
    guard value.count > length else { return nil }
    for index in 0..<length where value[index] | 32 != scheme.utf8Start[index] | 32 { return nil }
    var rest = value[length...]
    while rest.first == 0x20 { rest = rest.dropFirst() }
    return rest.isEmpty ? nil : UnsafeRawBufferPointer(rebasing: rest)
  }

  /// `500ms` or `2s`.
  static func milliseconds(_ text: String) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard (1...7).contains(digits.count), let number = Int(digits), number > 0 else { return nil }
    switch text[digits.endIndex...] {
    case "ms": return number
    case "s": return number * 1000
    default: return nil
    }
  }
}
