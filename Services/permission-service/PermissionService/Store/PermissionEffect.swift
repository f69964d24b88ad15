// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore
internal import SettingsContracts

/// What a write leaves in this service's tables. Of devices: the write's subject is the device.
enum PermissionEffect: StoreEffect, Hashable {
  case catalog(kinds: [PermissionPublishCatalogParams.Kind], at: Timestamp)
  /// The account signed in on the device, if any, and when it was seen.
  case device(accountId: String?, at: Timestamp)
  case permission(state: DevicePermission)
  case primer(accountId: String, kind: PermissionKind, state: PersonPrimer)

  func statements(at place: EventPlace) throws -> [SQLStatement] {
    let subject = place.subject
    let statement =
      switch self {
      case .catalog(let kinds, let at):
        try CatalogStore.save(Catalog(revision: place.head.seq, kinds: kinds), app: subject.app, at: at)
      case .device(let accountId, let at): KnownDevice.save(subject, accountId: accountId, seenAt: at)
      case .permission(let state): state.save(of: subject)
      case .primer(let accountId, let kind, let state): state.save(kind, of: .account(subject.app, accountId))
      }
    return [statement]
  }

  /// Removes everything about a device or a person.
  static func erase(_ subject: Subject) -> [SQLStatement] {
    if let device = subject.deviceId {
      let place: [SQLValue] = [.text(subject.app), .text(device)]
      return [
        SQLStatement("DELETE FROM permission_device WHERE app = $1 AND device_id = $2", parameters: place),
        SQLStatement("DELETE FROM device_permission WHERE app = $1 AND device_id = $2", parameters: place),
      ]
    }
    guard let account = subject.accountId else { return [] }
    let place: [SQLValue] = [.text(subject.app), .text(account)]
    return [
      SQLStatement("DELETE FROM person_primer WHERE app = $1 AND account_id = $2", parameters: place),
      SQLStatement(
        "UPDATE permission_device SET account_id = NULL WHERE app = $1 AND account_id = $2", parameters: place),
    ]
  }
}
