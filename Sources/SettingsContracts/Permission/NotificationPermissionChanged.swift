// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// The payload of permission-service's events when a device's notifications permission changed.
public struct NotificationPermissionChanged: Codable, Sendable, Hashable {
  public var deviceId: String
  public var status: PermissionStatus
  /// When the app read it from the system.
  public var at: Timestamp

  public init(deviceId: String, status: PermissionStatus, at: Timestamp) {
    self.deviceId = deviceId
    self.status = status
    self.at = at
  }
}
