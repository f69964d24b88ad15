// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A response as a client sees it.
public enum ParsedResponse {
  /// The bytes of `result`, within the response's own.
  case result(id: RequestID, UnsafeRawBufferPointer)
  /// The call failed; or the response is none (reason `malformedReply`, id nil).
  case error(id: RequestID?, RPCError)
}

extension Response {
  /// - Parameter bytes: must stay valid while the result is used.
  public static func parse(_ bytes: UnsafeRawBufferPointer) -> ParsedResponse {
    do {
      return try TapeStorage.scanning(bytes) { tape in
        let members = try ResponseMembers(tape)
        let id = RequestID(bytes: Array(tape.bytes(of: members.id)))
        switch members.outcome {
        case .result(let index): return .result(id: id, UnsafeRawBufferPointer(tape.bytes(of: index)))
        case .error(let index): return .error(id: id, try tape.decode(RPCError.self, at: index))
        }
      }
    } catch {
      return .error(id: nil, malformed(error))
    }
  }

  /// The typed result of a response.
  /// - Throws: what the server answered; or reason `malformedReply` when it is no response, or its result no `R`.
  public static func decode<R: Decodable>(_ type: R.Type, from bytes: [UInt8]) throws(RPCError) -> R {
    do {
      return try bytes.withUnsafeBytes { bytes in
        try TapeStorage.scanning(bytes) { tape in
          switch try ResponseMembers(tape).outcome {
          case .result(let index):
            tape.storage.pointee.root = index
            return try tape.decode(type, at: index)
          case .error(let index): throw Failure(error: try tape.decode(RPCError.self, at: index))
          }
        }
      }
    } catch let failure as Failure {
      throw failure.error
    } catch {
      throw malformed(error)
    }
  }

  /// What the server answered, apart from what is wrong with the answer.
  private struct Failure: Error { let error: RPCError }

  private static func malformed(_ error: any Error) -> RPCError {
    RPCError(
      .internalError, "malformed reply: \(JSONDecodingError(any: error))", reason: "malformedReply",
      processed: .unknown)
  }
}

/// Where the members of a response object are.
private struct ResponseMembers {
  enum Outcome { case result(Int), error(Int) }
  let id: Int
  let outcome: Outcome

  init(_ reader: TapeReader) throws {
    guard reader[0].kind == .object else { throw reader.mismatch(0, "a response object") }
    var hasVersion = false
    var id: Int?
    var outcomes: [Outcome] = []
    var name = 1
    while name < reader.end(of: 0) {
      let value = name + 1
      if reader.isText(name, "jsonrpc") {
        hasVersion = reader.isText(value, "2.0")
      } else if reader.isText(name, "id") {
        id = value
      } else if reader.isText(name, "result") {
        outcomes.append(.result(value))
      } else if reader.isText(name, "error") {
        outcomes.append(.error(value))
      }
      name = reader.end(of: value)
    }
    guard hasVersion, let id, outcomes.count == 1 else {
      throw JSONDecodingError(path: "", problem: "must have jsonrpc \"2.0\", an id, and either result or error")
    }
    self.id = id
    outcome = outcomes[0]
  }
}
