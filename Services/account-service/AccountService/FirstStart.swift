// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import JSONRPC
internal import Logging
internal import RPC
internal import SQLStore
internal import SettingsContracts

/// Makes the first keys: no call can be made before there is one.
///
/// The file is what is wanted, the store is brought to it: the file is written first, whole, and its key is put into the
/// store when it is not there. So it can stop at any moment and be done again. Taking the file away and starting again
/// gives a new admin key, which is how a lost one is replaced; a key that was revoked stays revoked.
struct FirstStart: Sendable {
  /// How long the demo account's token is good.
  private static let demoLifetimeMs: Int64 = 365 * 24 * 3600 * 1000
  private static let app = AppHandlers.firstApp

  let path: String
  let isDemo: Bool
  let ledger: Ledger
  let issuer: TokenIssuer
  let logger: Logger

  private struct Credentials: Codable, Hashable {
    var adminKey: String
    var publishableKey: String
    var demoToken: String?
  }

  /// - Throws: `FileError`, `RPCError`.
  func complete() async throws {
    var credentials = try await file()
    try await publish(credentials)
    if isDemo {
      credentials.demoToken = try await demoToken()
      if try read() != credentials { try PrivateFile.replace(path, try JSON.encode(credentials) + [10]) }
    }
  }

  /// The file's contents, after writing it where it is missing.
  private func file() async throws -> Credentials {
    if let credentials = try read() { return credentials }
    let existing = try await ledger.read([AppRows.select(Self.app)])[0].first?.text(2)
    let made = Credentials(
      adminKey: CredentialText.serviceKey(app: Self.app),
      publishableKey: existing ?? CredentialText.publishableKey(app: Self.app))
    if try PrivateFile.create(path, try JSON.encode(made) + [10]) { logger.info("credentials were made") }
    guard let credentials = try read() else { throw FileError(path: path, problem: "vanished") }
    return credentials
  }

  private func read() throws -> Credentials? {
    guard let bytes = try PrivateFile.read(path) else { return nil }
    guard let credentials = try? JSON.decode(Credentials.self, from: bytes) else {
      throw FileError(path: path, problem: "is not a file of credentials: take it away to have new ones made")
    }
    return credentials
  }

  /// Puts app and admin key into the store, if they are not there.
  private func publish(_ credentials: Credentials) async throws {
    let auth = AuthRows.head(Self.app)
    let hash = SHA256.hash(credentials.adminKey)
    _ = try await ledger.write(
      .topic(Self.app, "app"), also: [auth], context, method: "firstStart", params: Empty(),
      reads: [AppRows.select(Self.app), KeyRows.find(app: Self.app, hash: hash)]
    ) { rows, change in
      let authSeq = change.heads[auth]!.seq
      guard rows[0].isEmpty || rows[1].isEmpty else {
        change.leaveUnchanged()
        return Empty()
      }
      if rows[0].isEmpty {
        let record = AppRecord(
          app: Self.app, name: Self.app, publishableKey: credentials.publishableKey, revision: change.head.seq)
        try change.apply(AccountEffect.appPublished(record: record, authSeq: authSeq))
        change.payload = AppEventPayload(defaultLocale: record.defaultLocale, defaultRegulation: nil).json
        change.record("app.published", facts: ["defaultLocale": .string(record.defaultLocale)])
      }
      if rows[1].isEmpty {
        let keyId = Identifier.next(change.now)
        let key = ServiceKey(
          keyId: keyId, name: "first-admin-\(keyId)", owner: "operator", role: .admin, createdAt: change.now)
        try change.apply(AccountEffect.keyMade(key, text: credentials.adminKey, authSeq: authSeq))
        change.record("key.created", facts: KeyHandlers.facts(key), personal: KeyHandlers.personal(key))
      }
      return Empty()
    }
  }

  /// A token of the demo account's one long session, which is made where it is missing.
  private func demoToken() async throws -> String {
    let subject = Subject.account(Self.app, "maya")
    let sessionId = Identifier.next(ledger.clock.now())
    let device = Identifier.next(ledger.clock.now())
    let session = try await ledger.write(
      subject, context, method: "demo", params: Empty(),
      reads: [
        ProfileRows.select(subject), SessionRows.selectLive(subject, now: ledger.clock.now(), limit: 1000),
      ]
    ) { rows, change in
      let wanted = change.now + Self.demoLifetimeMs / 2
      let existing = rows[1].map { SessionRows.session($0) }.first { $0.tokenUntil > wanted }
      if let existing, !rows[0].isEmpty {
        change.leaveUnchanged()
        return existing
      }
      if rows[0].isEmpty {
        let profile = Profile(
          accountId: "maya", name: "Maya", email: "maya@example.com", plan: "Plus", locale: "en", timeZone: "UTC",
          createdAt: change.now)
        try change.apply(AccountEffect.accountMade(profile: profile))
        change.payload = AccountEventPayload(locale: profile.locale, timeZone: profile.timeZone).json
        change.record(
          "account.created", facts: [:], personal: ["name": .string(profile.name), "email": .string(profile.email)])
      }
      var session = Session(
        app: Self.app, sessionId: sessionId, accountId: "maya", deviceId: device, generation: change.head.generation,
        authenticatedAt: change.now, now: change.now)
      session.deviceName = "Demo"
      session.platform = "ios"
      session.appVersion = "2.4 (318)"
      session.tokenUntil = Timestamp(milliseconds: (change.now + Self.demoLifetimeMs).milliseconds / 1000 * 1000)
      session.expiresAt = session.tokenUntil
      _ = try SessionHandlers.begin(session, on: subject, &change)
      return session
    }
    return try issuer.accessToken(session)
  }

  private var context: CallContext {
    CallContext(
      principal: Principal(kind: .service, app: Self.app, name: AccountService.name), requestId: "first-start",
      deadline: .after(milliseconds: Deadline.longestMilliseconds))
  }
}
