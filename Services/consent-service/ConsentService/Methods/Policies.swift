// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import SettingsContracts

/// `consent.catalog` and `consent.publishPolicy`.
struct Policies: Sendable {
  let records: RecordStore

  func register(on router: inout MethodRouter) {
    router.on(ConsentMethods.catalog) { params, context in try await catalog(params, context) }
    router.on(ConsentMethods.publishPolicy) { params, context in try await publish(params, context) }
  }

  private func catalog(_ params: ConsentCatalogParams, _ context: CallContext) async throws -> ConsentCatalog {
    if let locale = params.locale { try LanguageTag.check(locale, "locale") }
    let policy = try await records.policy(context.app)
    return ConsentCatalog(
      policy.live, policy.localized, records.regulations, locale: params.locale ?? context.locale,
      revision: policy.revision)
  }

  private func publish(_ params: ConsentPolicy, _ context: CallContext) async throws -> ConsentCatalog {
    try params.validate(knownRegulations: records.regulations.all.map(\.id))
    let document = try JSON.encodeString(params)
    let texts = LocalizedPolicy(params)
    let regulations = records.regulations
    let app = context.app
    return try await records.ledger.write(
      PolicyShelf.subject(app), context, method: ConsentMethods.publishPolicy.name, params: params,
      reads: [
        SQLStatement("SELECT revision FROM consent_app WHERE app = $1", .text(app)),
        SQLStatement(
          """
          SELECT version, document, published_at FROM consent_policy WHERE app = $1 AND version >= $2 ORDER BY version
          """, .text(app), SQLValue(params.version)),
      ]
    ) { rows, change in
      let revision = rows[0].first?.int(0) ?? 0
      if let same = rows[1].first, same.int(0) == params.version {
        guard same.text(1) == document, rows[1].count == 1 else {
          throw RPCError.alreadyExists(
            "version: \(params.version) is published already, and a version never changes", reason: "versionExists",
            field: "version")
        }
        change.leaveUnchanged()
        let version = PolicyVersion(params, publishedAt: same.timestamp(2))
        return ConsentCatalog(version, texts, regulations, locale: context.locale, revision: revision)
      }
      if params.version == PolicyVersion.builtIn.number {
        throw RPCError.alreadyExists(
          "version: \(params.version) is the built-in policy's; an app's own begin with \(params.version + 1)",
          reason: "versionExists", field: "version")
      }
      if let newest = rows[1].last {
        throw RPCError.failedPrecondition(
          "version: \(params.version) is not greater than the live version \(newest.int(0))",
          reason: "versionNotNewer", field: "version")
      }
      let version = PolicyVersion(params, publishedAt: change.now)
      var catalog = ConsentCatalog(version, texts, regulations, locale: context.locale, revision: revision + 1)
      catalog.entryId = change.record(
        "consent.policyPublished",
        facts: [
          "policyVersion": .integer(Int64(params.version)), "material": .bool(params.material),
          "notices": .array(texts.notices.map { ["locale": .string($0.locale), "hash": .string($0.hash)] }),
        ])
      try change.apply(
        ConsentEffect(
          policy: ConsentEffect.Policy(
            version: Int64(params.version), publishedAt: change.now, document: RawJSON(Array(document.utf8)))))
      return catalog
    }
  }
}
