// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SettingsContracts

/// What the privacy switches need of a `ConsentState`.
struct ConsentChoices: Decodable {
  /// The categories behind the switches.
  enum Switch: String {
    case personalization, analytics
  }
  private struct Category: Decodable {
    var id: String
    var allowed: Bool
  }
  private var categories: [Category]
  var policyVersion: Int
  var revision: Int64
  var entryId: String?

  /// False where the app's policy has no such category.
  func allows(_ category: Switch) -> Bool { categories.contains { $0.id == category.rawValue && $0.allowed } }
}
