// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

extension ConsentState {
  /// What a screen shows of an evaluation.
  /// - Parameter locale: BCP 47; nil for the policy's first language.
  init(_ evaluator: Evaluator, at now: Timestamp, locale: String?, revision: Int64) {
    let evaluation = evaluator.evaluate(at: now)
    let record = evaluator.record
    let live = evaluator.policy.live
    let edition = evaluator.policy.localized.edition(for: locale)
    var enabled = 0
    var optional = 0
    var shown: [Category] = []
    shown.reserveCapacity(live.categories.count)
    for (index, category) in live.categories.enumerated() {
      let verdict = evaluation.verdicts[index]
      if !category.required, verdict.status != .notApplicable {
        optional += 1
        if verdict.allowed { enabled += 1 }
      }
      let decision = record[category.id].flatMap { $0.isExplicit && !category.required ? $0 : nil }
      shown.append(
        Category(
          id: category.id, displayName: edition.texts[index].displayName, explanation: edition.texts[index].explanation,
          required: category.required, status: verdict.status, allowed: verdict.allowed, reason: verdict.reason,
          decidedAt: decision.map { Timestamp(milliseconds: $0.at) }, policyVersion: decision?.version,
          method: decision?.method))
    }
    let signals = evaluator.signals
    self.init(
      regulation: evaluator.situation.regulation.id, policyVersion: live.number, notice: edition.notice,
      needsConsent: evaluation.needsConsent, promptReason: evaluation.promptReason,
      summary: ConsentSummary.text(enabled: enabled, of: optional, locale: locale ?? edition.notice.locale),
      enabledCount: enabled, optionalCount: optional, categories: shown,
      signals: ConsentSignals(
        gpc: ConsentSignals.GPC(
          present: signals.gpc, honored: signals.gpc && evaluator.situation.honorsGPC, at: signals.gpcAt),
        att: signals.att),
      reviewAt: evaluation.reviewAt, country: record.facts.country, subdivision: record.facts.subdivision,
      ageBand: record.facts.ageBand, revision: revision)
  }
}

/// The line that says how much is enabled.
enum ConsentSummary {
  private static let texts: [(locale: String, text: @Sendable (Int, Int) -> String)] = [
    ("en", { "\($0) of \($1) optional categories enabled" }),
    ("de", { "\($0) von \($1) optionalen Kategorien aktiviert" }),
  ]

  static func text(enabled: Int, of optional: Int, locale: String?) -> String {
    LanguageTag.best(for: locale, among: texts, locale: \.locale)!.text(enabled, optional)
  }
}
