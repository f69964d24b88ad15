// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The `error` object on the wire: `{code, message, data}`, where `data` is
/// `{status, reason, field?, display?, retryable, processed, retryAfterMs?, requestId?}` and the details.
extension RPCError: Codable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Member.self)
    try container.encode(code.rawValue, forKey: .code)
    try container.encode(message, forKey: .message)
    var data = container.nestedContainer(keyedBy: AnyKey.self, forKey: .data)
    func put<T: Encodable>(_ member: DataMember, _ value: T?) throws {
      guard let value else { return }
      try data.encode(value, forKey: AnyKey(stringValue: member.rawValue))
    }
    try put(.status, code.status)
    try put(.reason, reason)
    try put(.field, field)
    try put(.display, display)
    try put(.retryable, retryable)
    try put(.processed, processed)
    try put(.retryAfterMs, retryAfterMs)
    try put(.requestId, requestId)
    for (name, value) in details.sorted(by: { $0.key < $1.key }) where DataMember(rawValue: name) == nil {
      try data.encode(value, forKey: AnyKey(stringValue: name))
    }
  }

  /// Reads any JSON-RPC error object; whether the call took effect is unknown where `data` does not say.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Member.self)
    let code = ErrorCode(rawValue: try container.decode(Int.self, forKey: .code))
    let message = try container.decode(String.self, forKey: .message)
    var details = try container.decodeIfPresent(JSONValue.self, forKey: .data)?.objectValue ?? [:]
    func take(_ member: DataMember) -> JSONValue? { details.removeValue(forKey: member.rawValue) }
    _ = take(.status)
    self.init(code, message, reason: take(.reason)?.stringValue ?? "unknown")
    field = take(.field)?.stringValue
    display = take(.display)?.stringValue
    retryable = take(.retryable)?.boolValue ?? false
    processed = take(.processed)?.boolValue.map { $0 ? .yes : .no } ?? .unknown
    retryAfterMs = take(.retryAfterMs)?.integerValue.flatMap { Int(exactly: $0) }
    requestId = take(.requestId)?.stringValue
    self.details = details
  }

  private enum Member: String, CodingKey { case code, message, data }
  private enum DataMember: String {
    case status, reason, field, display, retryable, processed, retryAfterMs, requestId
  }
}

extension RPCError.Processed: Encodable {
  /// `true`, `false` or `"unknown"`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .yes: try container.encode(true)
    case .no: try container.encode(false)
    case .unknown: try container.encode("unknown")
    }
  }
}

extension RPCError {
  static func invalidRequest(_ message: String) -> RPCError {
    RPCError(.invalidRequest, message, reason: "invalidRequest")
  }

  init(_ error: JSONSyntaxError) {
    switch error.kind {
    case .tooDeep, .tooLarge: self = .invalidRequest(error.explanation)
    default: self.init(.parseError, "not JSON: \(error.explanation)", reason: "parseError")
    }
  }
}
