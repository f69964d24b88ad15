// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// An app's policy versions, oldest first, and what they mean for decisions that were about an earlier one.
final class PolicyHistory: Sendable {
  /// Counts changes to what is known of the app: a cached history is right while the store says the same.
  let revision: Int64
  /// Oldest first, the built-in one before all; never empty.
  let versions: [PolicyVersion]
  /// The regulation of those whose region is not known.
  let defaultRegulation: String?
  let localized: LocalizedPolicy
  /// By the live version's categories, in its order.
  private let coveringVersions: [[Int]]
  /// The same of the versions in which the person could decide on the category.
  private let offeringVersions: [[Int]]

  var live: PolicyVersion { versions[versions.count - 1] }

  /// - Parameter versions: oldest first; not empty.
  init(revision: Int64, versions: [PolicyVersion], defaultRegulation: String?) {
    self.revision = revision
    self.versions = versions
    self.defaultRegulation = defaultRegulation
    localized = LocalizedPolicy(versions[versions.count - 1].policy)
    let live = versions[versions.count - 1].categories
    coveringVersions = live.map { PolicyHistory.covering($0, versions) }
    offeringVersions = live.map { category in
      versions.filter { $0[category.id]?.required == false }.map(\.number)
    }
  }

  /// The published version of that number.
  subscript(number: Int) -> PolicyVersion? { versions.first { $0.number == number } }

  func texts(of version: PolicyVersion) -> LocalizedPolicy {
    version === live ? localized : LocalizedPolicy(version.policy)
  }

  /// Whether a grant of the live version's category at `index`, given to version `number`, still fits: nothing material
  /// was published since, and the category was never used for more than now.
  func isCovered(_ index: Int, by number: Int) -> Bool {
    number == live.number || coveringVersions[index].contains(number)
  }

  /// Whether a person who decided on version `number` could have decided then on the live version's category at `index`.
  func wasOffered(_ index: Int, in number: Int) -> Bool { offeringVersions[index].contains(number) }

  /// Whether any version had the category.
  func isKnown(_ id: String) -> Bool { versions.contains { $0[id] != nil } }

  /// The versions before the live one that a grant may be of.
  private static func covering(_ category: PolicyVersion.Category, _ versions: [PolicyVersion]) -> [Int] {
    var covering: [Int] = []
    for index in versions.indices.dropLast().reversed() where !versions[(index + 1)...].contains(where: \.material) {
      guard let earlier = versions[index][category.id], !earlier.required else { continue }
      if earlier.uses.isSuperset(of: category.uses) { covering.append(versions[index].number) }
    }
    return covering
  }
}
