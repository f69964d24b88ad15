// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Reads JSON-RPC messages where they lie. One for each thread, reused; parsing allocates nothing in the steady state
/// (a batch: its array).
///
/// What is refused, and how: text that is not JSON with -32700; more than 64 levels, a batch of none or over 100
/// members, and whatever is no request object with -32600; in params, arrays, unknown members, members that appear
/// twice and U+0000 with -32602.
public final class MessageParser {
  public static let largestBatch = 100

  private let tape = Tape(capacity: 256)

  public init() {}

  /// - Parameter bytes: must stay valid while the result is used.
  public func parse(_ bytes: UnsafeRawBufferPointer) -> ParsedMessage {
    do { try tape.scan(bytes) } catch { return .refused(RPCError(error)) }
    let reader = tape.reader
    switch reader[0].kind {
    case .object: return .single(request(0))
    case .array: return batch()
    default: return .refused(.invalidRequest("a message must be a request object or an array of them"))
    }
  }

  private func batch() -> ParsedMessage {
    let reader = tape.reader
    let end = reader.end(of: 0)
    guard end > 1 else { return .refused(.invalidRequest("a batch must have at least one request")) }
    var requests: [ParsedRequest] = []
    var member = 1
    while member < end {
      guard requests.count < Self.largestBatch else {
        return .refused(.invalidRequest("a batch must have at most \(Self.largestBatch) requests"))
      }
      requests.append(request(member))
      member = reader.end(of: member)
    }
    return .batch(requests)
  }

  private func request(_ object: Int) -> ParsedRequest {
    let reader = tape.reader
    var envelope = Envelope()
    var problem = envelope.read(object, reader)
    if problem == nil, envelope.params != ParsedRequest.none {
      let params = Int(envelope.params)
      envelope.hideMeta(reader)
      if let name = reader.firstDuplicate(in: params) {
        problem = .invalidParams(reader.path(to: name, from: params), "appears twice")
      }
    }
    return ParsedRequest(object: object, envelope: envelope, problem: problem)
  }

  /// Empty when there is none that could be read.
  public func methodName(_ request: ParsedRequest) -> String {
    guard request.method != ParsedRequest.none else { return "" }
    return (try? tape.reader.string(Int(request.method))) ?? ""
  }

  /// Nil when there is none, or none that could be read.
  public func id(_ request: ParsedRequest) -> RequestID? {
    guard request.id != ParsedRequest.none else { return nil }
    return RequestID(bytes: Array(tape.reader.bytes(of: Int(request.id))))
  }

  /// Typed params, by name only: unknown members, duplicates and U+0000 are refused and named; `_meta` is skipped;
  /// missing params are `{}`. A type whose `init(from:)` throws an `RPCError` gets the path put in front of its field.
  public func params<P: Decodable>(_ type: P.Type, of request: ParsedRequest) throws(RPCError) -> P {
    if let problem = request.problem { throw problem }
    let reader = tape.reader
    let index =
      request.params == ParsedRequest.none ? tape.storage.pointee.push(.object, 0, 0) : Int(request.params)
    guard reader[index].kind == .object else {
      throw .invalidParams("params", "must be an object with named members; an array is not supported")
    }
    return try decode(type, at: index, below: index)
  }

  /// Whether params have the reserved member `_meta`.
  public func hasMeta(_ request: ParsedRequest) -> Bool { request.metaName != ParsedRequest.none }

  /// The reserved member of params, or nil.
  public func meta(_ request: ParsedRequest) throws(RPCError) -> RequestMeta? {
    guard hasMeta(request) else { return nil }
    if let problem = request.problem { throw problem }
    return try decode(RequestMeta.self, at: Int(request.metaName) + 1, below: Int(request.params))
  }

  private func decode<T: Decodable>(_ type: T.Type, at index: Int, below root: Int) throws(RPCError) -> T {
    let reader = tape.reader
    tape.storage.pointee.root = root
    if let text = reader.firstNUL(in: index) {
      throw .invalidParams(reader.path(to: text), "must not hold the character U+0000")
    }
    let value: T
    do {
      value = try reader.decode(type, at: index)
    } catch let error as LocatedError {
      throw error.error
    } catch {
      throw JSONDecodingError(any: error).rpcError
    }
    if let name = reader.firstUnknownMember(in: index) {
      throw .invalidParams(reader.path(to: name), "is not a known member")
    }
    return value
  }

  /// The bytes of the whole request object.
  public func bytes(of request: ParsedRequest) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(tape.reader.bytes(of: Int(request.object)))
  }

  /// The request with `params._meta` cut out.
  public func bodyWithoutMeta(_ request: ParsedRequest) -> [UInt8] {
    guard hasMeta(request) else { return Array(bytes(of: request)) }
    return tape.reader.bytes(of: Int(request.object), withoutMember: Int(request.metaName))
  }
}
