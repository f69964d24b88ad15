// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import ServiceKit

/// Whom a call is about, and through which device.
struct Addressee: Sendable, Hashable {
  let subject: Subject
  /// Whose signals count; nil: the strictest known do.
  let deviceId: String?
  /// The caller is the device or person itself, so the request's own signals are theirs.
  let isSelf: Bool

  var isAccount: Bool { subject.isAccount }

  /// The device's own record, where the subject is an account.
  var device: Subject? { isAccount ? deviceId.map { .device(subject.app, $0) } : nil }
}

extension Addressee {
  /// - Throws: as `CallContext.subject(accountId:deviceId:)`.
  init(_ context: CallContext, accountId: String?, deviceId: String?) throws(RPCError) {
    subject = try context.subject(accountId: accountId, deviceId: deviceId)
    if subject.isAccount {
      self.deviceId = try context.deviceId(deviceId)
    } else {
      self.deviceId = subject.deviceId
    }
    isSelf = context.principal.kind == .device || context.principal.kind == .user
  }
}
