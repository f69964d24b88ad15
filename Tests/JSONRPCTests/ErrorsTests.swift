// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

import JSONRPC

@Suite struct ErrorsTests {
  /// JSON-RPC's own codes, else -32000 minus gRPC's status.
  @Test(arguments: [
    (ErrorCode.parseError, -32700, "PARSE_ERROR"), (.invalidRequest, -32600, "INVALID_REQUEST"),
    (.methodNotFound, -32601, "METHOD_NOT_FOUND"), (.invalidParams, -32602, "INVALID_PARAMS"),
    (.internalError, -32603, "INTERNAL"), (.cancelled, -32001, "CANCELLED"),
    (.deadlineExceeded, -32004, "DEADLINE_EXCEEDED"), (.notFound, -32005, "NOT_FOUND"),
    (.alreadyExists, -32006, "ALREADY_EXISTS"), (.permissionDenied, -32007, "PERMISSION_DENIED"),
    (.resourceExhausted, -32008, "RESOURCE_EXHAUSTED"), (.failedPrecondition, -32009, "FAILED_PRECONDITION"),
    (.aborted, -32010, "ABORTED"), (.unavailable, -32014, "UNAVAILABLE"), (.unauthenticated, -32016, "UNAUTHENTICATED"),
  ])
  func aCodeHasItsNumberAndItsStatus(code: ErrorCode, number: Int, status: String) throws {
    let text = Response.error(RequestID(7), RPCError(code, "m", reason: "r")).text
    #expect(
      text == #"{"jsonrpc":"2.0","id":7,"error":{"code":\#(number),"message":"m","data":{"#
        + #""status":"\#(status)","reason":"r","retryable":false,"processed":false}}}"#)
  }

  static let full: RPCError = {
    var error = RPCError(
      .aborted, "a \"message\"", reason: "stale", field: "revision", display: "Try again.", retryable: true,
      processed: .unknown, retryAfterMs: 250, details: ["current": ["revision": 4], "status": "never replaced"])
    error.requestId = "r1"
    return error
  }()

  @Test func everyMemberOfDataIsWritten() {
    #expect(
      Response.error(nil, Self.full).text == #"{"jsonrpc":"2.0","id":null,"error":{"code":-32010,"#
        + #""message":"a \"message\"","data":{"status":"ABORTED","reason":"stale","field":"revision","#
        + #""display":"Try again.","retryable":true,"processed":"unknown","retryAfterMs":250,"requestId":"r1","#
        + #""current":{"revision":4}}}}"#)
  }

  @Test(arguments: [RPCError.Processed.yes, .no, .unknown])
  func aClientReadsWhatTheServerWrote(processed: RPCError.Processed) throws {
    var error = Self.full
    error.processed = processed
    error.details = ["current": ["revision": 4]]
    Response.error(RequestID(1), error).withUnsafeBytes { bytes in
      guard case .error(let id?, let read) = Response.parse(bytes) else { return #expect(Bool(false)) }
      #expect(id == RequestID(1))
      #expect(read == error)
    }
  }

  @Test func anErrorOfAnotherServerIsReadAsFarAsItSays() {
    let text = #"{"jsonrpc":"2.0","id":"x","error":{"code":-32000,"message":"no","data":"free text"}}"#
    Array(text.utf8).withUnsafeBytes { bytes in
      guard case .error(_, let error) = Response.parse(bytes) else { return #expect(Bool(false)) }
      #expect(error.code.rawValue == -32000)
      #expect(error.message == "no")
      #expect(error.processed == .unknown)
      #expect(!error.retryable)
    }
  }

  @Test func detailsThatCannotBeWrittenBecomeAnInternalError() {
    let error = RPCError(.aborted, "m", reason: "r", details: ["x": .number(.nan)])
    #expect(Response.error(nil, error).text.contains("-32603"))
  }
}
