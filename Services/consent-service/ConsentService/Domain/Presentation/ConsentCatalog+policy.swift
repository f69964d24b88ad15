// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

extension ConsentCatalog {
  /// A policy version in one language.
  init(
    _ version: PolicyVersion, _ texts: LocalizedPolicy, _ regulations: RegulationTable, locale: String?, revision: Int64
  ) {
    let edition = texts.edition(for: locale)
    self.init(
      policyVersion: version.number, publishedAt: version.publishedAt, notice: edition.notice,
      categories: zip(version.policy.categories, edition.texts).map { category, text in
        Category(
          id: category.id, displayName: text.displayName, explanation: text.explanation, required: category.required,
          legalBasis: category.legalBasis, uses: category.uses, recipients: category.recipients,
          retention: category.retention, regulations: category.regulations)
      },
      regulations: regulations.all.map {
        Regulation(id: $0.id, displayName: $0.displayName, mechanism: $0.mechanism)
      },
      maxAgeDays: version.policy.maxAgeDays, reAskDays: version.policy.reAskDays, locales: texts.locales,
      revision: revision)
  }
}
