// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import RPC

/// Every method a client outside the bus may call, beside the gateway's own.
public enum PublicContract {
  /// In the order of the services in the contract.
  public static let serviceMethods: [MethodDescriptor] =
    (AppMethods.all + KeyMethods.all + SessionMethods.all + AccountMethods.all + ConsentMethods.all
    + PermissionMethods.all + NotificationMethods.all + AuditMethods.all)
    .filter(\.access.isPublic)

  /// What the gateway itself answers.
  public static let gatewayMethods: [MethodDescriptor] =
    SettingsMethods.all + [
      RuntimeMethods.discover.descriptor, RuntimeMethods.health.descriptor, RuntimeMethods.stats.descriptor,
      RuntimeMethods.cancel.descriptor,
    ]

  /// Everything a client may call.
  public static let allMethods: [MethodDescriptor] = serviceMethods + gatewayMethods
}
