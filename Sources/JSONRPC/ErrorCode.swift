// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A JSON-RPC error code: the protocol's own where one exists, else `-32000 - status` for a gRPC status.
///
/// Source: JSON-RPC 2.0, section 5.1; gRPC's status codes.
public struct ErrorCode: RawRepresentable, Sendable, Hashable, Codable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  public static let parseError = ErrorCode(rawValue: -32700)
  public static let invalidRequest = ErrorCode(rawValue: -32600)
  public static let methodNotFound = ErrorCode(rawValue: -32601)
  public static let invalidParams = ErrorCode(rawValue: -32602)
  public static let internalError = ErrorCode(rawValue: -32603)

  public static let cancelled = ErrorCode(rawValue: -32001)
  public static let deadlineExceeded = ErrorCode(rawValue: -32004)
  public static let notFound = ErrorCode(rawValue: -32005)
  public static let alreadyExists = ErrorCode(rawValue: -32006)
  public static let permissionDenied = ErrorCode(rawValue: -32007)
  public static let resourceExhausted = ErrorCode(rawValue: -32008)
  public static let failedPrecondition = ErrorCode(rawValue: -32009)
  public static let aborted = ErrorCode(rawValue: -32010)
  public static let unavailable = ErrorCode(rawValue: -32014)
  public static let unauthenticated = ErrorCode(rawValue: -32016)

  /// The name in `error.data.status`.
  public var status: String {
    switch self {
    case .parseError: "PARSE_ERROR"
    case .invalidRequest: "INVALID_REQUEST"
    case .methodNotFound: "METHOD_NOT_FOUND"
    case .invalidParams: "INVALID_PARAMS"
    case .internalError: "INTERNAL"
    case .cancelled: "CANCELLED"
    case .deadlineExceeded: "DEADLINE_EXCEEDED"
    case .notFound: "NOT_FOUND"
    case .alreadyExists: "ALREADY_EXISTS"
    case .permissionDenied: "PERMISSION_DENIED"
    case .resourceExhausted: "RESOURCE_EXHAUSTED"
    case .failedPrecondition: "FAILED_PRECONDITION"
    case .aborted: "ABORTED"
    case .unavailable: "UNAVAILABLE"
    case .unauthenticated: "UNAUTHENTICATED"
    default: "UNKNOWN"
    }
  }
}
