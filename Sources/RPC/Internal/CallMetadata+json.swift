// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

package import JSONRPC
internal import Tracing

/// Read with every call, so member by member instead of through Codable; tests hold all ways to the same result.
extension CallMetadata {
  /// - Parameter callers: those read before.
  package init(json bytes: UnsafeRawBufferPointer, _ callers: CallerCache) throws(JSONDecodingError) {
    if let ordered = CallMetadata(ordered: bytes, callers) {
      self = ordered
      return
    }
    var metadata = CallMetadata()
    try JSON.forEachMember(of: bytes) { member in
      if member.isNamed("principal") {
        try member.refuseAgain(metadata.caller)
        metadata.caller = try callers.caller(member)
      } else if member.isNamed("requestId") {
        try member.refuseAgain(metadata.requestId)
        metadata.requestId = try member.string()
      } else if member.isNamed("traceparent") {
        try member.refuseAgain(metadata.trace)
        metadata.trace = try member.trace()
      } else if member.isNamed("timeoutMs") {
        try member.refuseAgain(metadata.timeoutMs)
        metadata.timeoutMs = try member.int()
      } else if member.isNamed("expiresAt") {
        try member.refuseAgain(metadata.expiresAt)
        metadata.expiresAt = try member.int64()
      } else if member.isNamed("idempotencyKey") {
        try member.refuseAgain(metadata.idempotencyKey)
        metadata.idempotencyKey = try member.string()
      } else if member.isNamed("locale") {
        try member.refuseAgain(metadata.locale)
        metadata.locale = try member.string()
      } else if member.isNamed("attempt") {
        try member.refuseAgain(metadata.attempt)
        metadata.attempt = try member.int()
      } else if member.isNamed("gpc") {
        try member.refuseAgain(metadata.gpc)
        metadata.gpc = try member.bool()
      } else if member.isNamed("authorization") {
        try member.refuseAgain(metadata.authorization)
        metadata.authorization = try member.string()
      }
    }
    self = metadata
  }
}

extension ObjectMember {
  /// - Parameter known: what a member of the same name gave before.
  @inline(__always)
  fileprivate func refuseAgain<Value>(_ known: Value?) throws {
    if known != nil { throw refused("is there twice") }
  }

  /// What is no `traceparent` is as good as none.
  ///
  /// Source: W3C Trace Context, section 4.3: who cannot parse it begins a new trace.
  fileprivate func trace() throws -> TraceContext? {
    if bytes.count == TraceContext.length + 2, bytes[0] == UInt8(ascii: "\"") {
      if let trace = TraceContext(
        UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[1...TraceContext.length])))
      {
        return trace
      }
    }
    return try string().flatMap { TraceContext($0) }
  }
}

extension CallerCache {
  fileprivate func caller(_ member: ObjectMember) throws -> Caller? {
    if let known = find(member.bytes) { return known }
    guard let caller = try Principal(member).map(Caller.init) else { return nil }
    keep(caller, member.bytes)
    return caller
  }
}

extension Principal {
  fileprivate init?(_ member: ObjectMember) throws {
    var kind: Kind?
    var app: String?
    var principal = Principal(kind: .anonymous)
    let isThere = try member.forEachMember { member in
      if member.isNamed("kind") {
        kind = try member.string().flatMap(Kind.init)
        if kind == nil {
          throw member.refused("must be one of \(Kind.allCases.map(\.rawValue).joined(separator: ", "))")
        }
      } else if member.isNamed("app") {
        app = try member.string()
      } else if member.isNamed("accountId") {
        principal.accountId = try member.string()
      } else if member.isNamed("deviceId") {
        principal.deviceId = try member.string()
      } else if member.isNamed("sessionId") {
        principal.sessionId = try member.string()
      } else if member.isNamed("generation") {
        principal.generation = try member.int64()
      } else if member.isNamed("authTime") {
        principal.authTime = try member.timestamp()
      } else if member.isNamed("name") {
        principal.name = try member.string()
      } else if member.isNamed("scopes") {
        principal.scopes = try member.strings()
      } else if member.isNamed("role") {
        principal.role = try member.string()
      }
    }
    guard isThere else { return nil }
    guard let kind, let app else { throw member.refused("must have kind and app") }
    principal.kind = kind
    principal.app = app
    self = principal
  }
}
