// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// A policy version as the rules read it.
final class PolicyVersion: Sendable {
  let number: Int
  let publishedAt: Timestamp
  let material: Bool
  let categories: [Category]
  /// How long a grant holds, in milliseconds; nil: as the regulation says.
  let maxAge: Int64?
  /// After how long a refusal may be asked again, in milliseconds; nil: never.
  let reAskInterval: Int64?
  let policy: ConsentPolicy

  struct Category: Sendable, Hashable {
    let id: String
    let required: Bool
    let uses: UseSet
    /// Where it exists; nil: everywhere.
    let regulations: [String]?

    func applies(under regulation: Regulation) -> Bool { regulations?.contains(regulation.id) ?? true }
  }

  init(_ policy: ConsentPolicy, publishedAt: Timestamp) {
    self.policy = policy
    self.publishedAt = publishedAt
    number = policy.version
    material = policy.material
    maxAge = policy.maxAgeDays.map { Int64($0) * Timestamp.millisecondsPerDay }
    reAskInterval = policy.reAskDays.map { Int64($0) * Timestamp.millisecondsPerDay }
    categories = policy.categories.map {
      Category(id: $0.id, required: $0.required, uses: UseSet($0.uses), regulations: $0.regulations)
    }
  }

  subscript(id: String) -> Category? { categories.first { $0.id == id } }
}
