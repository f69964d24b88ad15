// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import PostgreSQL

/// A place for one connection of the pool, and what it is busy with.
final class Place {
  enum Role { case reads, writes }

  let role: Role
  private(set) var session: Session?
  var isConnecting = false
  var write: WriteUnit?
  var read: ReadUnit?
  /// Not connected before then, in monotonic milliseconds.
  private(set) var restsUntil: Int64 = 0
  private var failures = 0

  init(_ role: Role) { self.role = role }

  var isFree: Bool { session != nil && write == nil && read == nil }
  var isBusy: Bool { write != nil || read != nil }

  func canConnect(at now: Int64) -> Bool { session == nil && !isConnecting && restsUntil <= now }

  func connected(_ session: Session) {
    isConnecting = false
    self.session = session
    failures = 0
  }

  /// The next try comes later and later, up to a second, with jitter so that replicas do not come at once. The first
  /// comes at once: a server that was restarted is often there again.
  func failed(at now: Int64) {
    isConnecting = false
    session = nil
    let step = min(1_000, failures == 0 ? 0 : 20 << min(failures, 6))
    failures += 1
    restsUntil = now + Int64(step == 0 ? 0 : Int.random(in: step / 2...step))
  }

  func close() { session = nil }
}
