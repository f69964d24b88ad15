// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SettingsContracts

extension NotificationPermissionChanged {
  /// What notification-prefs-service is told; nil while the system was not heard of notifications.
  static func payload(_ caller: Caller, _ owner: KnownDevice?, _ permission: DevicePermission?) -> JSONValue? {
    guard let permission, let status = permission.status, let at = permission.reportedAt else { return nil }
    let accountId = caller.account?.accountId ?? owner?.accountId
    return .object(
      [
        "deviceId": .string(caller.device.deviceId!), "status": .string(status.rawValue),
        "at": .string(at.description),
      ].merging(accountId.map { ["accountId": .string($0)] } ?? [:]) { $1 })
  }
}
