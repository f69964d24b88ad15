// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import ServiceKit
internal import SettingsContracts

/// `consent.link`.
struct Links: Sendable {
  let records: RecordStore
  let peers: Peers

  func register(on router: inout MethodRouter) {
    router.on(ConsentMethods.link) { params, context in try await link(params, context) }
  }

  private func link(_ params: ConsentLinkParams, _ context: CallContext) async throws -> ConsentState {
    let addressee = try Addressee(context, accountId: nil, deviceId: nil)
    let deviceId = try await verifiedDevice(params.deviceToken, context)
    let device = Subject.device(context.app, deviceId)
    return try await records.change(
      addressee, context, method: ConsentMethods.link.name, params: LinkedDevice(deviceId: deviceId),
      also: [
        SQLStatement(
          "SELECT record FROM consent_record WHERE app = $1 AND subject = $2",
          .text(device.app), .text(device.id))
      ],
      locale: context.locale
    ) { edit, rows in
      guard let row = rows[0].first else { return }
      let theirs = try JSON.decode(ConsentRecord.self, from: row.text(0))
      edit.link(theirs, deviceId)
    }
  }

  /// The device whose token it is.
  /// - Throws: -32602 when the token is not a device's of this app, or no longer good.
  private func verifiedDevice(_ token: String, _ context: CallContext) async throws -> String {
    let refused = RPCError.invalidParams("deviceToken", "not the valid token of a device of this app")
    guard (1...4096).contains(token.utf8.count) else { throw refused }
    let session: VerifiedSession
    do {
      session = try await peers.call(
        SessionMethods.verify, SessionVerifyParams(token: token), app: context.app, deadline: context.deadline,
        requestId: context.requestId)
    } catch let error as RPCError where error.code == .unauthenticated || error.code == .invalidParams {
      throw refused
    }
    guard session.principal.kind == .device, session.principal.app == context.app,
      let deviceId = session.principal.deviceId
    else { throw refused }
    return deviceId
  }

  /// What makes two calls the same under one idempotency key: tokens of one device differ.
  private struct LinkedDevice: Codable, Sendable {
    var deviceId: String
  }
}
