// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import JSONRPC
internal import RPC
internal import SettingsContracts

/// `audit.export`: the trail as a document. Every page handed out leaves an entry of its own, which is in before anything
/// is read, so an export whose record cannot be kept gives nothing.
struct Exports: Sendable {
  /// Entries a page holds at most; mostly its size ends it.
  private static let highestLimit = 1_000
  /// What is kept of an export for repeats under its idempotency key: the document is made anew.
  private struct Receipt: Codable, Sendable { var entryId: String }

  let search: EntrySearch
  let reader: EntryReader
  let key: AuditKey
  let ledger: Ledger

  func register(on router: inout MethodRouter) {
    router.on(AuditMethods.export) { params, context in try await export(params, context) }
  }

  private func export(_ params: AuditExportParams, _ context: CallContext) async throws -> AuditExport {
    let format = params.format ?? .json
    let scope = try AuditScope(context, accountId: params.accountId, deviceId: params.deviceId)
    let query = try EntryQuery(
      params.entries, for: scope.reader, standard: Self.highestLimit, most: Self.highestLimit)
    try await search.wait(for: params.after, context)
    let entryId = try await record(format, params, scope, context)
    try await search.wait(for: entryId, context, processed: .yes)
    // A thousand entries to open and spell: beside the thread that takes in everybody's events.
    return try await withTaskExecutorPreference(globalConcurrentExecutor) {
      var document = ExportDocument(format)
      let next = try await search.each(query, scope, context) { try document.add($0.withEvidence(for: scope.reader)) }
      return AuditExport(
        format: format, contentType: document.contentType, content: document.content, count: document.count,
        entryId: entryId, nextCursor: next?.cursor)
    }
  }

  /// Leaves the export's own event, under the subject's reference: audit-service's tables name no account.
  private func record(
    _ format: AuditExportFormat, _ params: AuditExportParams, _ scope: AuditScope, _ context: CallContext
  ) async throws -> String {
    var head = Subject.topic(context.app, "audit")
    var generation: Int64?
    var personal: [String: JSONValue] = [:]
    if let subject = scope.subject {
      let reference = key.reference(app: context.app, subject: subject.id)
      head = Subject(app: context.app, id: SubjectName.referencePrefix + Hex.encode(reference))
      generation =
        try await reader.generation(app: context.app, subject: subject.id) ?? context.principal.generation ?? 1
      personal["accountId"] = subject.accountId.map(JSONValue.string)
      personal["deviceId"] = subject.deviceId.map(JSONValue.string)
    }
    let facts: [String: JSONValue] = ["format": .string(format.rawValue), "filters": .object(filters(params))]
    let receipt = try await ledger.write(head, context, method: AuditMethods.export.name, params: params) {
      [generation, personal] _, change in
      if let generation { change.payload = ["generation": .integer(generation)] }
      return Receipt(entryId: change.record("audit.exported", facts: facts, personal: personal))
    }
    return receipt.entryId
  }

  /// What of the export's filters is not personal.
  private func filters(_ params: AuditExportParams) -> [String: JSONValue] {
    var filters: [String: JSONValue] = [:]
    filters["kind"] = params.kind.map(JSONValue.string)
    filters["category"] = params.category.map(JSONValue.string)
    filters["status"] = params.status.map(JSONValue.string)
    filters["regulation"] = params.regulation.map(JSONValue.string)
    filters["policyVersion"] = params.policyVersion.map { .integer(Int64($0)) }
    filters["from"] = params.from.map { .string($0.description) }
    filters["to"] = params.to.map { .string($0.description) }
    return filters
  }
}
