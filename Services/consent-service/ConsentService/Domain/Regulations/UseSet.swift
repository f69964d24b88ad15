// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SettingsContracts

/// A set of uses in one byte, so that rules over uses are a few instructions.
struct UseSet: OptionSet, Sendable, Hashable {
  let rawValue: UInt8
  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ uses: some Sequence<ConsentUse>) {
    rawValue = uses.reduce(0) { $0 | UseSet.bit(of: $1) }
  }

  func intersects(_ other: UseSet) -> Bool { rawValue & other.rawValue != 0 }

  func contains(_ use: ConsentUse) -> Bool { rawValue & UseSet.bit(of: use) != 0 }

  private static func bit(of use: ConsentUse) -> UInt8 {
    switch use {
    case .sale: 1
    case .sharing: 2
    case .targetedAds: 4
    case .sensitive: 8
    case .crossAppTracking: 16
    case .behaviouralMonitoring: 32
    }
  }
}
