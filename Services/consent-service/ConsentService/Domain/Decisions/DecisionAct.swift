// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// One act of a person, or of somebody on their behalf: yes or no to some categories.
struct DecisionAct: Sendable {
  /// In the order in which they are to be recorded.
  var choices: [Choice]
  /// The version the person saw.
  var version: PolicyVersion
  var method: ConsentMethod
  /// When the person decided; nil for now.
  var occurredAt: Timestamp?
  var confirmed: [ConsentConfirmation] = []
  /// A refusal is to stand until a confirmed opt-in, whatever the regulation, and for all that sells or shares.
  var isOptOut = false

  struct Choice: Sendable, Hashable {
    var category: String
    var isGranted: Bool
  }
}

/// What an act did to the record.
struct DecisionOutcome: Sendable, Hashable {
  /// Now in the record.
  var applied: [Decision] = []
  /// Overtaken by a later decision: evidence, without effect.
  var superseded: [Decision] = []
  /// The standing opt-out that the act brought.
  var optOut: StandingOptOut?
}

/// What the rules of a change go by.
struct DecisionGround: Sendable {
  let policy: PolicyHistory
  let situation: Situation
  let signals: Signals
  let now: Timestamp
}

extension DecisionAct {
  /// Checks the choices against the version the person saw, in which alone they make sense.
  /// - Parameter field: where the categories are named, for errors.
  /// - Returns: the choices that say something: a yes to a required category is none.
  /// - Throws: -32602 for an unknown category, FAILED_PRECONDITION for a no to a required one or a yes to one that does
  ///   not exist under the person's regulation.
  func effectiveChoices(
    _ regulation: Regulation, field: (String) -> String
  ) throws(RPCError) -> [(choice: Choice, category: PolicyVersion.Category)] {
    var effective: [(choice: Choice, category: PolicyVersion.Category)] = []
    for choice in choices {
      guard let category = version[choice.category] else {
        // What is no id could be anybody's text, and is not echoed as part of a name either.
        let named = CategoryName.isValid(choice.category) ? field(choice.category) : field("*")
        throw CategoryName.unknown(choice.category, named, known: version.categories.map(\.id))
      }
      if category.required {
        guard choice.isGranted else {
          throw .failedPrecondition(
            "\(field(category.id)): \(category.id) is required and cannot be refused", reason: "requiredCategory",
            field: field(category.id))
        }
        continue
      }
      guard !choice.isGranted || category.applies(under: regulation) else {
        throw .failedPrecondition(
          "\(field(category.id)): \(category.id) does not exist under \(regulation.id)", reason: "notApplicable",
          field: field(category.id))
      }
      effective.append((choice, category))
    }
    return effective
  }
}
