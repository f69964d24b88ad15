// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SettingsContracts

extension ConsentAgeBand {
  /// The youngest a person of this band can be, in years; nil when nothing is known.
  private var youngest: Int? {
    switch self {
    case .under13: 0
    case .age13: 13
    case .age14: 14
    case .age15: 15
    case .age16to17: 16
    case .adult: 18
    case .unknown: nil
    }
  }

  /// Whether a person of this band can be younger than `age`. Nobody is held a minor whose age is not known.
  func mayBeBelow(_ age: Int) -> Bool { youngest.map { $0 < age } ?? false }

  /// Whether every person of this band is younger than every one of `other`.
  func isYounger(than other: ConsentAgeBand) -> Bool {
    guard let mine = youngest, let theirs = other.youngest else { return false }
    return mine < theirs
  }
}
