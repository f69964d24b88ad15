// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// Everything consent-service knows of one account or device: one row of the store.
struct ConsentRecord: Sendable, Hashable {
  var subject: SubjectFacts?
  var decisions: [Decision] = []
  /// What devices signalled. A device's own record has one entry.
  var devices: [DeviceSignals]?
  /// The subject's no to everything that sells or shares.
  var optOut: StandingOptOut?

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

extension ConsentRecord: Codable {
  init(from decoder: any Decoder) throws {
    let members = try JSONMembers(decoder)
    guard let decisions = Decision.parse(try members.read("decisions")) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "decisions: not the text of decisions"))
    }
    self.decisions = decisions
    subject = try members.readIfPresent("subject")
    devices = try members.readIfPresent("devices")
    optOut = try members.readIfPresent("optOut")
  }
}

extension ConsentRecord: JSONObjectEncodable {
  func encode(into object: JSONObject) {
    object.put("decisions") { Decision.write(decisions, to: $0) }
    if let subject { object.put("subject", subject) }
    object.put("devices", devices)
    if let optOut { object.put("optOut", optOut) }
  }
}
