// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import Logging
public import RPC
public import Tracing

/// Logs calls that fail, each with the names by which it is found elsewhere: trace, span, request, subject. Never what a
/// call said or was about.
public struct CallLog: Sendable {
  private let logger: Logger
  private let refs: SubjectRefs

  public init(_ logger: Logger, _ refs: SubjectRefs) {
    self.logger = logger
    self.refs = refs
  }

  /// Whether calls that fail by their callers' doing are logged. They may be many, so it is asked first.
  public var isVerbose: Bool { logger.logs(.debug) }

  /// - Parameters:
  ///   - level: `error` for what is a fault of ours.
  ///   - problem: without personal data.
  ///   - principal: nil: nobody is known yet.
  ///   - named: whom the call is about where the principal is a key: `a:<accountId>`, `d:<deviceId>`, or nothing.
  public func failed(
    _ level: Logger.Level, _ method: String, status: String, problem: String? = nil, principal: Principal?,
    named: String? = nil, requestId: String, trace: TraceContext
  ) {
    logger.log(level, level >= .warning ? "fault" : "a call failed") {
      var values: [String: JSONValue] = [
        "method": .string(method), "status": .string(status), "requestId": .string(requestId),
        "traceId": .string(trace.traceID), "spanId": .string(trace.spanID),
      ]
      if let problem { values["problem"] = .string(problem) }
      if let principal, let ref = ref(principal, named) { values["subjectRef"] = .string(ref) }
      return values
    }
  }

  private func ref(_ principal: Principal, _ named: String?) -> String? {
    if let named, !named.isEmpty { return refs.ref(app: principal.app, named) }
    if let account = principal.accountId { return refs.ref(app: principal.app, "a:\(account)") }
    return principal.deviceId.map { refs.ref(app: principal.app, "d:\($0)") }
  }
}
