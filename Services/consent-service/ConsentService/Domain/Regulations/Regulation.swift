// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// What one regulation asks of consent: data of the regulation table, read once.
final class Regulation: Sendable {
  let id: String
  let displayName: String
  let mechanism: ConsentMechanism
  let gpc: GPCRule
  /// How long a grant holds where the policy does not say, in milliseconds.
  let refreshInterval: Int64?
  private let ownConsentAges: [RegulationTable.File.Age]
  /// Below this age the mechanism is opt-in, whatever it is above.
  let optInBelow: Int?
  /// Below this age these uses are barred, whoever consents.
  let barredBelow: Int?
  let barredUses: UseSet
  /// A refusal of these uses is an opt-out, which takes two steps to undo.
  let confirmOptInUses: UseSet

  /// When Global Privacy Control counts.
  enum GPCRule: String, Sendable, Codable { case always, never, whereRegionUnknown }

  init(_ file: RegulationTable.File.Entry) {
    id = file.id
    displayName = file.displayName
    mechanism = file.mechanism
    gpc = file.gpc
    refreshInterval = file.refreshDays.map { Int64($0) * Timestamp.millisecondsPerDay }
    ownConsentAges = file.ownConsentAges
    optInBelow = file.optInBelow?.age
    barredBelow = file.barredBelow?.age
    barredUses = UseSet(file.barredBelow?.uses ?? [])
    confirmOptInUses = UseSet(file.confirmOptIn?.uses ?? [])
  }

  /// The age from which a person decides alone, in `country` at `moment`.
  func ownConsentAge(country: String?, at moment: Timestamp) -> Int {
    var age = 0
    var isOfCountry = false
    // In the table's order, so that of several that hold, a country's own beats the default and the latest the earlier.
    for entry in ownConsentAges where entry.from.map({ $0 <= moment }) ?? true {
      if let region = entry.region {
        guard region == country else { continue }
        age = entry.age
        isOfCountry = true
      } else if !isOfCountry {
        age = entry.age
      }
    }
    return age
  }

  /// The moments at which `ownConsentAge` changes.
  func agesChange(country: String?) -> [Timestamp] {
    ownConsentAges.compactMap { $0.region == nil || $0.region == country ? $0.from : nil }
  }
}

extension Timestamp {
  static let millisecondsPerDay: Int64 = 86_400_000
}
