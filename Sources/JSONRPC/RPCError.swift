// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Why a call gave no result, as its caller is told: JSON-RPC's `error` object with the project's `data`.
///
/// `message` is for developers and names the field; it may echo numbers and enum values, never personal text.
/// `display` is for the person in front of the screen.
public struct RPCError: Error, Sendable, Equatable {
  /// Whether the call took effect. `unknown` after a lost connection, a timeout or a failed COMMIT.
  public enum Processed: Sendable, Equatable { case yes, no, unknown }

  public var code: ErrorCode
  public var message: String
  /// A stable word for programs, such as `reauthenticationRequired`.
  public var reason: String
  /// The path of the faulty param, such as `quietHours.from.hour`.
  public var field: String?
  public var display: String?
  public var retryable: Bool
  public var processed: Processed
  public var retryAfterMs: Int?
  /// Further members of `error.data`, such as `current` or `confirm`.
  public var details: [String: JSONValue]
  /// Filled in by the runtime.
  public var requestId: String?

  public init(
    _ code: ErrorCode, _ message: String, reason: String, field: String? = nil, display: String? = nil,
    retryable: Bool = false, processed: Processed = .no, retryAfterMs: Int? = nil, details: [String: JSONValue] = [:]
  ) {
    self.code = code
    self.message = message
    self.reason = reason
    self.field = field
    self.display = display
    self.retryable = retryable
    self.processed = processed
    self.retryAfterMs = retryAfterMs
    self.details = details
  }
}

extension RPCError {
  /// A param that is missing, of the wrong type or outside what is allowed. `message` names the field and what is allowed.
  public static func invalidParams(_ field: String, _ problem: String, display: String? = nil) -> RPCError {
    RPCError(.invalidParams, "\(field): \(problem)", reason: "invalidParams", field: field, display: display)
  }
  public static func notFound(_ what: String, reason: String = "notFound", field: String? = nil) -> RPCError {
    RPCError(.notFound, "\(what) not found", reason: reason, field: field)
  }
  public static func alreadyExists(
    _ message: String, reason: String = "alreadyExists", field: String? = nil
  ) -> RPCError {
    RPCError(.alreadyExists, message, reason: reason, field: field)
  }
  public static func permissionDenied(
    _ message: String, reason: String = "permissionDenied", field: String? = nil
  ) -> RPCError {
    RPCError(.permissionDenied, message, reason: reason, field: field)
  }
  public static func unauthenticated(_ message: String, reason: String = "unauthenticated") -> RPCError {
    RPCError(.unauthenticated, message, reason: reason)
  }
  public static func failedPrecondition(
    _ message: String, reason: String, field: String? = nil, display: String? = nil,
    details: [String: JSONValue] = [:]
  ) -> RPCError {
    RPCError(.failedPrecondition, message, reason: reason, field: field, display: display, details: details)
  }
  public static func aborted(_ message: String, reason: String, details: [String: JSONValue] = [:]) -> RPCError {
    RPCError(.aborted, message, reason: reason, retryable: true, details: details)
  }
  public static func resourceExhausted(
    _ message: String, reason: String, processed: Processed = .no, retryAfterMs: Int? = nil
  ) -> RPCError {
    RPCError(
      .resourceExhausted, message, reason: reason, retryable: true, processed: processed, retryAfterMs: retryAfterMs)
  }
  public static func unavailable(
    _ message: String, reason: String, processed: Processed = .no, retryAfterMs: Int? = nil
  ) -> RPCError {
    RPCError(.unavailable, message, reason: reason, retryable: true, processed: processed, retryAfterMs: retryAfterMs)
  }
  public static func deadlineExceeded(_ message: String, processed: Processed) -> RPCError {
    RPCError(.deadlineExceeded, message, reason: "deadlineExceeded", retryable: true, processed: processed)
  }
  public static func cancelled(_ message: String, processed: Processed) -> RPCError {
    RPCError(.cancelled, message, reason: "cancelled", processed: processed)
  }
  /// A fault of ours. `message` says nothing of the cause; the log does.
  public static func internalError(_ message: String = "internal error", processed: Processed = .unknown) -> RPCError {
    RPCError(.internalError, message, reason: "internal", processed: processed)
  }
}
