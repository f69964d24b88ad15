// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Threading

/// The keys in use, so that a batch opens none twice. Every use is checked against the row in its transaction, so what is
/// kept here cannot be wrong for long enough to matter.
struct SubjectKeyCache: Sendable {
  private let keys = Lock<[SubjectName: SubjectKey]>([:])
  private let capacity: Int

  init(capacity: Int = 50_000) { self.capacity = capacity }

  /// Of each, in order.
  func find(_ names: [SubjectName]) -> [SubjectKey?] { keys.withLock { keys in names.map { keys[$0] } } }

  /// When full, forgets all and starts again, which costs one look-up a subject.
  func add(_ found: [(name: SubjectName, key: SubjectKey)]) {
    guard !found.isEmpty else { return }
    keys.withLock { keys in
      if keys.count + found.count > capacity { keys.removeAll() }
      for (name, key) in found { keys[name] = key }
    }
  }
}
