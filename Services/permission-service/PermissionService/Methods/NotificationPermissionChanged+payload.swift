// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SettingsContracts

extension NotificationPermissionChanged {
  /// What notification-prefs-service is told; nil while the system was not heard of notifications.
  static func payload(_ device: Subject, _ permission: DevicePermission?) -> JSONValue? {
    guard let status = permission?.status, let at = permission?.reportedAt else { return nil }
    return [
      "deviceId": .string(device.deviceId!), "status": .string(status.rawValue), "at": .string(at.description),
    ]
  }
}
