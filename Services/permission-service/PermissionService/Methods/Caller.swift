// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import ServiceKit

/// On which device a call is made, and by whom.
struct Caller: Sendable {
  let device: Subject
  /// Where a person is signed in.
  let account: Subject?

  /// - Throws: FAILED_PRECONDITION when a person's session has no device; PERMISSION_DENIED when another's device or
  ///   account is named.
  init(_ context: CallContext, accountId: String?, deviceId: String?) throws(RPCError) {
    let subject = try context.subject(accountId: accountId, deviceId: deviceId)
    guard let own = try context.deviceId(deviceId) else {
      throw .failedPrecondition("the session has no device: start it with a deviceId", reason: "noDevice")
    }
    device = .device(context.app, own)
    account = subject.accountId == nil ? nil : subject
  }

  /// Where the trail of what happens belongs: to the person where there is one.
  var trail: Subject { account ?? device }
  /// Further heads that a write takes, so that nothing is written for a person who is gone.
  var others: [Subject] { account.map { [$0] } ?? [] }
}
