// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import RPC
internal import JSONRPC

/// Methods that are about the caller take its ids too, but nobody else's.
enum OwnSubject {
  static func refusal(accountId: String?, deviceId: String?, _ principal: Principal) -> RPCError? {
    if let accountId, accountId != principal.accountId {
      return .permissionDenied(
        "accountId: must be the caller's own, or be left out", reason: "notYours", field: "accountId")
    }
    if let deviceId, deviceId != principal.deviceId {
      return .permissionDenied(
        "deviceId: must be the caller's own, or be left out", reason: "notYours", field: "deviceId")
    }
    return nil
  }
}
