// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC

/// What becomes of a refresh token that is presented.
///
/// Refresh tokens of a session are numbered; only the one numbered `refreshCount` is good, once. An older one means that
/// two parties hold the session's tokens, and which of them is the thief cannot be known: the session ends (RFC 9700,
/// section 4.14.2). The exception is a repeat of the very call that spent the last one, known by its idempotency key:
/// its answer was lost, and it is given again.
enum Refresh: Sendable, Hashable {
  /// Good: here is the session with the token spent.
  case rotated(Session)
  /// The call that spent it, again.
  case repeated
  /// Spent before by another call.
  case reused
  case ended
  case expired

  /// - Parameters:
  ///   - number: the presented token's.
  ///   - spentBy: hash of the idempotency key under which the last token was spent.
  ///   - key: hash of this call's.
  static func decide(
    _ session: Session, number: Int64, spentBy: [UInt8]?, key: [UInt8]?, now: Timestamp
  ) -> Refresh {
    guard session.endedAt == nil else { return .ended }
    guard now < session.expiresAt else { return .expired }
    // A later number is proof that it was given: tokens are signed. The first refresh after a restore tells where the
    // session is; whoever comes with another number after that holds tokens that he should not.
    let isAhead = number > session.refreshCount && spentBy == SessionRows.isForgotten
    guard number != session.refreshCount, !isAhead else {
      var next = session
      next.refreshCount = number + 1
      next.lastSeenAt = now
      next.expiresAt = max(session.expiresAt, now + Session.idleLifetimeMs)
      next.tokenUntil = max(session.tokenUntil, Session.tokenEnd(now))
      return .rotated(next)
    }
    if number == session.refreshCount - 1, let key, key == spentBy { return .repeated }
    return .reused
  }
}
