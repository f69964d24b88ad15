// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import SettingsContracts

/// `key.create`, `list`, `revoke`.
struct KeyHandlers: Sendable {
  static let pageLimit = 200

  let ledger: Ledger

  func create(_ params: KeyCreateParams, _ context: CallContext) async throws -> ServiceKey {
    let owner = try Text.line(params.owner, "owner", atMost: 200)
    let scopes = try Self.check(params, now: ledger.clock.now())
    let text = CredentialText.serviceKey(app: context.app)
    let auth = AuthRows.head(context.app)
    return try await ledger.write(
      .topic(context.app, "keys"), also: [auth], context, method: KeyMethods.create.name, params: params,
      reads: [KeyRows.find(app: context.app, name: params.name)],
      stored: { made in
        var stored = made
        stored.key = nil
        return stored
      }
    ) { rows, change in
      guard rows[0].isEmpty else {
        throw RPCError.alreadyExists(
          "name: a key of this name was made before; a name is never given again", reason: "keyNameTaken",
          field: "name")
      }
      var key = ServiceKey(
        keyId: Identifier.next(change.now), name: params.name, owner: owner, scopes: scopes, role: params.role,
        createdAt: change.now, expiresAt: params.expiresAt)
      try change.apply(AccountEffect.keyMade(key, text: text, authSeq: change.heads[auth]!.seq))
      key.revision = change.head.seq
      key.entryId = change.record("key.created", facts: Self.facts(key), personal: Self.personal(key))
      key.key = text
      return key
    }
  }

  func list(_ params: KeyListParams, _ context: CallContext) async throws -> KeyPage {
    let limit = try Paging.limit(params.limit, atMost: Self.pageLimit)
    let last = try Paging.place(params.cursor)
    let rows = try await ledger.read([KeyRows.page(app: context.app, after: last, limit: limit)])[0]
    let keys = rows.prefix(limit).map(KeyRows.key)
    return KeyPage(items: keys, nextCursor: rows.count > limit ? keys.last.map { Paging.cursor($0.keyId) } : nil)
  }

  func revoke(_ params: KeyRevokeParams, _ context: CallContext) async throws -> ServiceKey {
    try Text.checkWord(params.keyId, "keyId", atMost: 64)
    let auth = AuthRows.head(context.app)
    let now = ledger.clock.now()
    return try await ledger.write(
      .topic(context.app, "keys"), also: [auth], context, method: KeyMethods.revoke.name, params: params,
      reads: [
        KeyRows.select(app: context.app, params.keyId), KeyRows.twoAdmins(app: context.app, now: now),
      ]
    ) { rows, change in
      guard let row = rows[0].first else { throw RPCError.notFound("key") }
      var key = KeyRows.key(row)
      guard key.revokedAt == nil else {
        key.revision = change.leaveUnchanged()
        return key
      }
      if rows[1].count == 1, rows[1][0].text(0) == key.keyId {
        throw RPCError.failedPrecondition(
          "keyId: the app's last admin key stays; make another first", reason: "lastAdminKey", field: "keyId")
      }
      try change.apply(
        AccountEffect.keyRevoked(keyId: key.keyId, at: change.now, authSeq: change.heads[auth]!.seq))
      key.revokedAt = change.now
      key.revision = change.head.seq
      key.entryId = change.record("key.revoked", facts: Self.facts(key), personal: Self.personal(key))
      return key
    }
  }

  /// The scopes in a fixed order, or nil where there is a role.
  private static func check(_ params: KeyCreateParams, now: Timestamp) throws(RPCError) -> [KeyScope]? {
    try Text.checkWord(params.name, "name", atMost: 64)
    if let expiresAt = params.expiresAt, expiresAt <= now {
      throw .invalidParams("expiresAt", "must be later than now")
    }
    guard (params.scopes == nil) != (params.role == nil) else {
      throw .invalidParams("scopes", "either scopes or role, and not both")
    }
    guard let scopes = params.scopes else { return nil }
    guard !scopes.isEmpty else { throw .invalidParams("scopes", "must name one of \(KeyScope.allowedWords)") }
    return KeyScope.allCases.filter(scopes.contains)
  }

  static func facts(_ key: ServiceKey) -> [String: JSONValue] {
    var facts: [String: JSONValue] = ["keyId": .string(key.keyId)]
    if let scopes = key.scopes { facts["scopes"] = .array(scopes.map { .string($0.rawValue) }) }
    if let role = key.role { facts["role"] = .string(role.rawValue) }
    if let expiresAt = key.expiresAt { facts["expiresAt"] = .string(expiresAt.description) }
    return facts
  }

  /// Names of keys and owners are often people's.
  static func personal(_ key: ServiceKey) -> [String: JSONValue] {
    ["name": .string(key.name), "owner": .string(key.owner)]
  }
}
