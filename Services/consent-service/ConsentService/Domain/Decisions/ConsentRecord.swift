// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// Everything consent-service knows of one account or device: one row of the store.
struct ConsentRecord: Codable, Sendable, Hashable {
  var subject: SubjectFacts?
  var decisions: [Decision] = []
  /// What devices signalled. A device's own record has one entry.
  var devices: [DeviceSignals]?

  var facts: SubjectFacts { subject ?? SubjectFacts() }

  subscript(category: String) -> Decision? {
    get { decisions.first { $0.category == category } }
    set {
      let index = decisions.firstIndex { $0.category == category }
      switch (index, newValue) {
      case (let index?, let value?): decisions[index] = value
      case (let index?, nil): decisions.remove(at: index)
      case (nil, let value?): decisions.append(value)
      case (nil, nil): break
      }
    }
  }
}
