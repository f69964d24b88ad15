// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import RPC

/// Credentials that were found good, by their text. Bounded: two halves, of which the older is forgotten when the newer
/// is full, or as old as tokens get; what is used moves to the newer. So what is remembered is what was used lately, and
/// people who sign in and out all day leave nothing behind.
///
/// The table's key is a hash with a seed of this process; the text itself is compared too, so that a collision says
/// nothing about another's credential.
struct CredentialCache {
  private struct Entry {
    var text: [UInt8]
    var credential: Credential

    func matches(_ other: UnsafeRawBufferPointer) -> Bool {
      text.withUnsafeBytes { $0.count == other.count && memcmp($0.baseAddress!, other.baseAddress!, other.count) == 0 }
    }
  }
  private var newer: [Int: Entry] = [:]
  private var older: [Int: Entry] = [:]
  private let halfCapacity: Int
  private let turnover: Int64
  private let now: () -> Int64
  /// When the newer half was begun.
  private var begunAt: Int64

  /// - Parameters:
  ///   - turnover: of a half, in milliseconds: an access token lives for 15 minutes.
  ///   - now: in milliseconds.
  init(capacity: Int, turnover: Int64 = 900_000, now: @escaping () -> Int64 = MonotonicClock.milliseconds) {
    halfCapacity = max(1, capacity / 2)
    self.turnover = turnover
    self.now = now
    begunAt = now()
  }

  var count: Int { newer.count + older.count }

  mutating func find(_ text: UnsafeRawBufferPointer) -> Credential? {
    let hash = hash(text)
    if let entry = newer[hash] { return entry.matches(text) ? entry.credential : nil }
    guard let entry = older.removeValue(forKey: hash), entry.matches(text) else { return nil }
    insert(entry, hash)
    return entry.credential
  }

  mutating func insert(_ credential: Credential, for text: [UInt8]) {
    text.withUnsafeBytes { insert(Entry(text: text, credential: credential), hash($0)) }
  }

  mutating func remove(_ text: UnsafeRawBufferPointer) {
    let hash = hash(text)
    newer[hash] = nil
    older[hash] = nil
  }

  private mutating func insert(_ entry: Entry, _ hash: Int) {
    let now = now()
    if newer.count >= halfCapacity || now - begunAt >= turnover {
      older = newer
      newer = [:]
      begunAt = now
    }
    newer[hash] = entry
  }

  private func hash(_ text: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: text)
    return hasher.finalize()
  }
}
