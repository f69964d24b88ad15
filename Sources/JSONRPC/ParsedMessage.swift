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
  /// There is no `id`: it gets no answer.
  public let isNotification: Bool
  /// Why it is no valid request: answered with its id, or null.
  public let problem: RPCError?
}
