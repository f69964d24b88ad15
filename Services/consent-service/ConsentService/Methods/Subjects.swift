// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import SettingsContracts

/// `consent.setSubject` and `consent.signal`.
struct Subjects: Sendable {
  let records: RecordStore

  func register(on router: inout MethodRouter) {
    router.on(ConsentMethods.setSubject) { params, context in try await setSubject(params, context) }
    router.on(ConsentMethods.signal) { params, context in try await signal(params, context) }
  }

  private func setSubject(_ params: ConsentSetSubjectParams, _ context: CallContext) async throws -> ConsentState {
    let addressee = try Addressee(context, accountId: params.accountId, deviceId: params.deviceId)
    let region = try Region(naming: params.country, subdivision: params.subdivision)
    return try await records.change(
      addressee, context, method: ConsentMethods.setSubject.name, params: params, locale: context.locale
    ) { edit, _ in
      let changed = try edit.record.setSubject(region, ageBand: params.ageBand, isPerson: edit.addressee.isSelf)
      guard changed else { return }
      var personal: [String: JSONValue] = ["country": .string(region.country)]
      personal["subdivision"] = region.subdivision.map { .string($0) }
      personal["ageBand"] = .string(edit.record.facts.ageBand.rawValue)
      edit.note(
        "consent.subjectSet", facts: ["regulation": .string(edit.situation.regulation.id)], personal: personal)
    }
  }

  private func signal(_ params: ConsentSignalParams, _ context: CallContext) async throws -> ConsentState {
    let addressee = try Addressee(context, accountId: params.accountId, deviceId: params.deviceId)
    guard params.gpc != nil || params.att != nil else {
      throw RPCError.invalidParams("gpc", "missing; gpc or att is needed")
    }
    guard addressee.deviceId != nil else {
      throw RPCError.failedPrecondition("the session names no device, whose signals these are", reason: "noDevice")
    }
    return try await records.change(
      addressee, context, method: ConsentMethods.signal.name, params: params, locale: context.locale
    ) { edit, _ in
      edit.signal(gpc: params.gpc, att: params.att)
    }
  }
}
