// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Places to wait at, shared so that no caller can keep the others out: each may hold as many as are free. One alone gets
/// half of them, nine get a tenth each, and a tenth is left for the next.
///
/// Source: see `FairShare`, which tells connections apart; to a service all callers come by the gateway's.
struct WaitingPlaces {
  private(set) var free: Int
  private var held: [String: Int] = [:]

  init(_ count: Int) { free = count }

  /// - Returns: whether the caller got a place, which is to be given back.
  mutating func take(_ caller: String) -> Bool {
    let own = held[caller] ?? 0
    guard own < free else { return false }
    held[caller] = own + 1
    free -= 1
    return true
  }

  /// - Precondition: the caller holds one.
  mutating func giveBack(_ caller: String) {
    let own = held[caller]!
    held[caller] = own == 1 ? nil : own - 1
    free += 1
  }
}
