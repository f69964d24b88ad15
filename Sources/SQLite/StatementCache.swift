// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Prepared statements by the address of their literal, which is never freed. An open-addressed table: looking a
/// statement up is part of every use, and addresses need no hashing that withstands attackers.
struct StatementCache {
  private var keys: [UnsafePointer<UInt8>?] = Array(repeating: nil, count: 64)
  private var statements: [Statement?] = Array(repeating: nil, count: 64)
  private var count = 0

  func find(_ key: UnsafePointer<UInt8>) -> Statement? { statements[slot(of: key)] }

  /// - Precondition: `find` gave nil.
  mutating func add(_ key: UnsafePointer<UInt8>, _ statement: Statement) {
    if count * 2 >= keys.count { grow() }
    let slot = slot(of: key)
    keys[slot] = key
    statements[slot] = statement
    count += 1
  }

  mutating func removeAll() { self = StatementCache() }

  /// Where the key is, or else belongs.
  private func slot(of key: UnsafePointer<UInt8>) -> Int {
    let spread = UInt(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
    var slot = Int(spread >> 32) & (keys.count - 1)
    while let other = keys[slot], other != key { slot = (slot + 1) & (keys.count - 1) }
    return slot
  }

  private mutating func grow() {
    let old = zip(keys, statements)
    keys = Array(repeating: nil, count: keys.count * 2)
    statements = Array(repeating: nil, count: keys.count)
    count = 0
    for case let (key?, statement?) in old { add(key, statement) }
  }
}
