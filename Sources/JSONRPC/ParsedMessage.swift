// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// What a received body holds.
public enum ParsedMessage: Sendable {
  case single(ParsedRequest)
  case batch([ParsedRequest])
  /// No JSON, or no request at all: answered once, with the id null.
  case refused(RPCError)
}

/// One request of a message. Meaningful together with the `MessageParser` that made it, until its next `parse`.
public struct ParsedRequest: Sendable {
  /// It is a valid request without an `id`: it gets no answer, whatever comes of it, not even for its `problem`.
  public let isNotification: Bool
  /// Why it is refused: no valid request (answered with its id where that could be read, else null), or a member of its
  /// params that appears twice.
  public var problem: RPCError? { refusal?.error }

  /// Indexes on the tape; `none` for members that are not there.
  let object: Int32
  let id: Int32
  let method: Int32
  let params: Int32
  /// The name of the reserved member of params.
  let metaName: Int32
  private let refusal: Refusal?

  static let none: Int32 = -1

  init(object: Int, envelope: Envelope, problem: RPCError?) {
    self.object = Int32(truncatingIfNeeded: object)
    id = envelope.id
    method = envelope.method
    params = envelope.params
    metaName = envelope.metaName
    refusal = problem.map(Refusal.init)
    isNotification = envelope.id == Self.none && problem?.code != .invalidRequest
  }
}

/// Keeps the request small: hardly any has a problem.
private final class Refusal: Sendable {
  let error: RPCError
  init(_ error: RPCError) { self.error = error }
}
