// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import PostgreSQL

/// A place for one connection of the pool, and what it is busy with.
final class Place {
  enum Role: Sendable { case reads, writes }

  let role: Role
  private(set) var session: Session?
  var write: WriteUnit?
  var read: ReadUnit?

  init(_ role: Role) { self.role = role }

  var isFree: Bool { session != nil && write == nil && read == nil }
  var isBusy: Bool { write != nil || read != nil }

  func connected(_ session: Session) { self.session = session }

  func close() { session = nil }
}
