// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import ServiceKit

/// Whose entries a caller sees, and how much of them.
struct AuditScope: Sendable {
  /// Nil: the whole app's.
  let subject: Subject?
  /// Of an account's entries, those made on this device.
  let deviceId: String?
  let reader: StoredEntry.Reader

  /// Devices and persons see their own; a key names a subject, or none for the app's.
  /// - Throws: PERMISSION_DENIED for another's; INVALID_PARAMS for an id that cannot be one.
  init(_ context: CallContext, accountId: String?, deviceId: String?) throws(RPCError) {
    reader = Self.reader(context)
    if reader == .staff, accountId == nil, deviceId == nil {
      subject = nil
    } else {
      subject = try context.subject(accountId: accountId, deviceId: deviceId)
    }
    if let deviceId, subject?.accountId != nil {
      self.deviceId = try context.deviceId(deviceId)
    } else {
      self.deviceId = nil
    }
  }

  /// Keys are the app's own people; a service asks for a person, who is not told their names.
  static func reader(_ context: CallContext) -> StoredEntry.Reader {
    context.principal.kind == .key ? .staff : .subject
  }
}
