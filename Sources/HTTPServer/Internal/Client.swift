// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// One TCP connection, from accept to close.
struct Client {
  var generation: UInt32 = 0
  var descriptor: CInt = -1
  /// Whether it is open at all.
  var isOpen = false
  /// Its address, shared with the other connections from there.
  var source = HTTPSource.none
  /// Its address has more connections than it may: its requests are refused.
  var isExcess = false
  /// The request it is busy with.
  var exchange: HTTPRequestID?
  /// When it was seen that its own side is closed, in milliseconds: it cannot send another byte and is taken to be gone.
  var hungUpAt: UInt64?
  var hungUp: Bool { hungUpAt != nil }
  /// When it was accepted, got its last answer or sent the head of the request it is busy with, or was given
  /// the answer to it: milliseconds.
  var since: UInt64 = 0
}
