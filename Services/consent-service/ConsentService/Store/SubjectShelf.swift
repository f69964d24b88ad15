// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import SQLStore
internal import Threading

/// What is known of one addressee, and the policies of the app at that moment.
final class KnownSubject: Sendable {
  let view: SubjectView
  let policy: PolicyHistory
  /// What the regulations make of both.
  let situation: Situation

  init(_ view: SubjectView, _ policy: PolicyHistory, _ regulations: RegulationTable) {
    var view = view
    view.record = view.record.withStandingOptOut(policy, regulations.optOutUses)
    self.view = view
    self.policy = policy
    situation = regulations.situation(of: view.record.facts, appDefault: policy.defaultRegulation)
  }
}

/// Subjects that were asked about lately, decoded and in memory, where this process is the only one that writes to the
/// store. Cannot be wrong: what was read is used only while the stamps of all it was read of stand, which change before
/// anybody hears of a write. Where others write too it stays empty, and every check reads.
///
/// Bounded: two halves, of which the older is forgotten when the newer is full; what is used moves to the newer.
final class SubjectShelf: Sendable {
  private struct Entry {
    let addressee: Addressee
    let stamp: UInt64
    let known: KnownSubject
  }
  private struct Halves {
    var newer: [UInt64: Entry] = [:]
    var older: [UInt64: Entry] = [:]
  }
  private let halves = Lock(Halves())
  private let ledger: Ledger
  private let halfCapacity: Int
  private let key: @Sendable (Keys) -> UInt64

  /// The stamp keys of what an addressee is answered from.
  struct Keys {
    let subject: UInt64
    let device: UInt64?

    init(_ addressee: Addressee) {
      subject = addressee.subject.stampKey
      device = addressee.device?.stampKey
    }

    /// Of the addressee; several may have the same.
    var both: UInt64 { device.map { subject ^ ($0 << 1) } ?? subject }
  }

  /// - Parameter key: of an addressee; several may have the same.
  init(_ ledger: Ledger, capacity: Int = 16_384, key: @escaping @Sendable (Keys) -> UInt64 = { $0.both }) {
    self.ledger = ledger
    self.key = key
    halfCapacity = max(1, capacity / 2)
  }

  /// To be taken before the addressee is read.
  func stamp(of addressee: Addressee) -> UInt64? { stamp(of: addressee, Keys(addressee)) }

  private func stamp(of addressee: Addressee, _ keys: Keys) -> UInt64? {
    guard let stamps = ledger.store.stamps else { return nil }
    let policy = PolicyShelf.subject(addressee.subject.app).stampKey
    return stamps.stamp(of: keys.subject) &+ stamps.stamp(of: policy)
      &+ (keys.device.map { stamps.stamp(of: $0) } ?? 0)
  }

  /// What was kept of the addressee, if it is still so.
  func find(_ addressee: Addressee) -> KnownSubject? {
    let keys = Keys(addressee)
    guard let stamp = stamp(of: addressee, keys) else { return nil }
    let key = key(keys)
    let entry = halves.withLock { halves -> Entry? in
      if let entry = halves.newer[key] { return entry }
      guard let entry = halves.older.removeValue(forKey: key) else { return nil }
      keep(entry, key, &halves)
      return entry
    }
    // Keys collide; a self-made id must not show somebody else's record.
    guard let entry, entry.stamp == stamp, entry.addressee.isSameRecord(as: addressee) else { return nil }
    return entry.known
  }

  /// - Parameter stamp: taken before `known` was read.
  func keep(_ known: KnownSubject, of addressee: Addressee, stamp: UInt64) {
    let entry = Entry(addressee: addressee, stamp: stamp, known: known)
    halves.withLock { keep(entry, key(Keys(addressee)), &$0) }
  }

  private func keep(_ entry: Entry, _ key: UInt64, _ halves: inout Halves) {
    if halves.newer.count >= halfCapacity {
      halves.older = halves.newer
      halves.newer = [:]
    }
    halves.newer[key] = entry
  }
}

extension Addressee {
  /// Whether both are answered from the same rows.
  fileprivate func isSameRecord(as other: Addressee) -> Bool {
    subject == other.subject && deviceId == other.deviceId
  }
}
