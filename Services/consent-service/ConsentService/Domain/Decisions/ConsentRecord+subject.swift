// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

extension ConsentRecord {
  /// Sets where the person is and how old.
  /// - Parameter isPerson: the person themselves, who may set the age once, or to a younger one.
  /// - Returns: whether anything changed.
  /// - Throws: FAILED_PRECONDITION `ageOnlyYounger`.
  mutating func setSubject(
    _ region: Region, ageBand: ConsentAgeBand?, isPerson: Bool
  ) throws(RPCError) -> Bool {
    var facts = self.facts
    if let ageBand, ageBand != facts.ageBand {
      guard !isPerson || facts.ageBand == .unknown || ageBand.isYounger(than: facts.ageBand) else {
        throw .failedPrecondition(
          "ageBand: a person sets the age once, or to a younger one than \(facts.ageBand.rawValue)",
          reason: "ageOnlyYounger", field: "ageBand")
      }
      facts.age = ageBand == .unknown ? nil : ageBand
    }
    facts.country = region.country
    facts.subdivision = region.subdivision
    guard facts != self.facts else { return false }
    subject = facts
    return true
  }
}
