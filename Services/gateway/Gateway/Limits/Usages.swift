// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The usage of each of many, by name. Bounded: two halves, of which the older is forgotten when the newer is full; what
/// is looked up moves to the newer. Used on the socket thread only.
final class Usages {
  private let limits: Usage.Limits
  private var newer: [String: Usage] = [:]
  private var older: [String: Usage] = [:]
  private let halfCapacity: Int

  init(_ limits: Usage.Limits, capacity: Int = 65_536) {
    self.limits = limits
    halfCapacity = max(1, capacity / 2)
  }

  /// Of one who is gone for good once it leaves: not kept here.
  func unnamed() -> Usage { Usage(limits) }

  func usage(of name: String) -> Usage {
    if let known = newer[name] { return known }
    let usage = older.removeValue(forKey: name) ?? Usage(limits)
    if newer.count >= halfCapacity {
      older = newer
      newer = [:]
    }
    newer[name] = usage
    return usage
  }
}
