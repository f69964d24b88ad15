// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// What permission-service's events carry for other services: the notifications permission of one device.
public struct NotificationPermissionChanged: Codable, Sendable {
  public var deviceId: String
  /// The account signed in on the device, if any.
  public var accountId: String?
  public var status: PermissionStatus
  /// When the app read it from the system.
  public var at: Timestamp
  public init(deviceId: String, accountId: String?, status: PermissionStatus, at: Timestamp) {
    self.deviceId = deviceId
    self.accountId = accountId
    self.status = status
    self.at = at
  }
}
