// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import JSONRPC
internal import SQLStore
internal import SettingsContracts

/// What a write leaves in this service's tables. `authSeq`: the revision of the app's head `x:auth`.
enum AccountEffect: StoreEffect, Hashable {
  case appPublished(record: AppRecord, authSeq: Int64)
  /// `hash`: SHA-256 of the key's text, in hexadecimal.
  case keyMade(key: ServiceKey, hash: String, authSeq: Int64)
  case keyRevoked(keyId: String, at: Timestamp, authSeq: Int64)
  case accountMade(profile: Profile)
  case accountChanged(profile: Profile)
  case blocked(item: BlockedAccount)
  case unblocked(blockedId: String)
  case sessionBegun(session: Session)
  case sessionAuthenticated(session: Session)
  case sessionEnded(sessionId: String, at: Timestamp, authSeq: Int64)
  /// All of the account.
  case sessionsEnded(at: Timestamp, authSeq: Int64)
  /// Those that a device had before sign-in.
  case deviceSessionsEnded(deviceId: String, at: Timestamp, authSeq: Int64)

  static func keyMade(_ key: ServiceKey, text: String, authSeq: Int64) -> AccountEffect {
    .keyMade(key: key, hash: Hex.encode(SHA256.hash(text)), authSeq: authSeq)
  }

  func statements(at place: EventPlace) throws -> [SQLStatement] {
    let subject = place.subject
    let app = subject.app
    let statement =
      switch self {
      case .appPublished(let record, let authSeq): try AppRows.upsert(record, authSeq: authSeq)
      case .keyMade(let key, let hash, let authSeq):
        KeyRows.insert(key, hash: Hex.decode(hash) ?? [], app: app, authSeq: authSeq)
      case .keyRevoked(let keyId, let at, let authSeq): KeyRows.revoke(app: app, keyId, now: at, authSeq: authSeq)
      case .accountMade(let profile): ProfileRows.insert(profile, app: app)
      case .accountChanged(let profile): ProfileRows.update(profile, app: app)
      case .blocked(let item): BlockedRows.insert(subject, item)
      case .unblocked(let blockedId): BlockedRows.delete(subject, blockedId)
      case .sessionBegun(let session): SessionRows.insert(session)
      case .sessionAuthenticated(let session): SessionRows.authenticate(session)
      case .sessionEnded(let sessionId, let at, let authSeq):
        SessionRows.end(app: app, sessionId, now: at, authSeq: authSeq)
      case .sessionsEnded(let at, let authSeq): SessionRows.endAll(subject, now: at, authSeq: authSeq)
      case .deviceSessionsEnded(let deviceId, let at, let authSeq):
        SessionRows.endBeforeSignIn(app: app, device: deviceId, now: at, authSeq: authSeq)
      }
    return [statement]
  }

  /// Removes everything about a device or a person, and ends their sessions: gateways are told of these for as long as
  /// their tokens may be good.
  static func erase(_ subject: Subject) -> [SQLStatement] {
    guard let account = subject.accountId else {
      guard let device = subject.deviceId else { return [] }
      return [
        SQLStatement(
          """
          UPDATE session SET ended_at = COALESCE(ended_at, created_at), platform = NULL, app_version = NULL,
            device_name = NULL, auth_seq = CASE WHEN auth_seq = 0 THEN 1 ELSE auth_seq END
          WHERE app = $1 AND device_id = $2 AND account_id IS NULL
          """, .text(subject.app), .text(device))
      ]
    }
    let place: [SQLValue] = [.text(subject.app), .text(account)]
    return [
      SQLStatement("DELETE FROM account WHERE app = $1 AND account_id = $2", parameters: place),
      SQLStatement("DELETE FROM blocked_account WHERE app = $1 AND account_id = $2", parameters: place),
      SQLStatement(
        """
        UPDATE session SET ended_at = COALESCE(ended_at, created_at), platform = NULL, app_version = NULL,
          device_name = NULL, auth_seq = CASE WHEN auth_seq = 0 THEN 1 ELSE auth_seq END
        WHERE app = $1 AND account_id = $2
        """, parameters: place),
    ]
  }
}
