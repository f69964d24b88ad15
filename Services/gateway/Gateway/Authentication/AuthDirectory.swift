// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC
internal import SettingsContracts

/// What credentials are judged by: keys, apps, public keys and ended sessions, as account-service tells them page by page.
///
/// Until the first load is whole nothing is known. A load that starts over is gathered beside the old state and takes its
/// place when its last page is in, so that there is no moment at which a good key is unknown.
struct AuthDirectory {
  struct State {
    fileprivate var keys: [String: AuthKey] = [:]
    fileprivate var hashes: [KeyName: String] = [:]
    fileprivate var apps: [String: AuthApp] = [:]
    fileprivate var origins: Set<String> = []
    fileprivate var publicKeys: [String: Ed25519.PublicKey] = [:]
    fileprivate var endedSessions: [SessionName: Timestamp] = [:]
  }
  struct KeyName: Hashable {
    var app: String
    var keyId: String
  }
  struct SessionName: Hashable {
    var app: String
    var sessionId: String
  }

  private var state = State()
  private var gathering: State?
  /// Where the next page starts; nil: at the beginning.
  private(set) var cursor: String?
  private(set) var isLoaded = false
  /// Grows whenever something that was judged before may be judged otherwise now.
  private(set) var version: UInt64 = 0

  /// Takes in one page.
  mutating func apply(_ page: AuthChanges, now: Timestamp) {
    if page.reset == true { gathering = State() }
    let isNews =
      page.reset == true
      || !(page.keys.isEmpty && page.apps.isEmpty && page.publicKeys.isEmpty && page.revocations.isEmpty)
    if gathering != nil {
      gathering!.apply(page)
    } else {
      state.apply(page)
    }
    cursor = page.cursor
    if page.more != true {
      if let whole = gathering { state = whole }
      gathering = nil
      isLoaded = true
      state.forgetEnded(before: now)
    }
    if isNews { version &+= 1 }
  }

  /// The key of which this is the SHA-256 in lower-case hexadecimal, revoked ones included.
  func key(hash: String) -> AuthKey? { state.keys[hash] }

  var publicKeys: [String: Ed25519.PublicKey] { state.publicKeys }

  func hasEnded(_ sessionId: String, app: String) -> Bool {
    state.endedSessions[SessionName(app: app, sessionId: sessionId)] != nil
  }

  /// Whether web pages of this origin may call, and read answers.
  /// - Parameter app: nil: it is not known whose page it is, and any app's will do.
  func allows(origin: String, of app: String? = nil) -> Bool {
    guard let app else { return state.origins.contains(origin) }
    return state.apps[app]?.origins.contains(origin) == true
  }

  func app(_ name: String) -> AuthApp? { state.apps[name] }
}

extension AuthDirectory.State {
  fileprivate mutating func apply(_ page: AuthChanges) {
    for key in page.keys {
      let name = AuthDirectory.KeyName(app: key.app, keyId: key.keyId)
      if let old = hashes.updateValue(key.hash, forKey: name), old != key.hash { keys[old] = nil }
      keys[key.hash] = key
    }
    for app in page.apps { apps[app.app] = app }
    if !page.apps.isEmpty { origins = Set(apps.values.flatMap(\.origins)) }
    if !page.publicKeys.isEmpty {
      publicKeys = [:]
      for listed in page.publicKeys {
        guard let bytes = Base64URL.decode(listed.publicKey), let key = try? Ed25519.PublicKey(bytes: bytes) else {
          continue
        }
        publicKeys[listed.kid] = key
      }
    }
    for ended in page.revocations {
      endedSessions[AuthDirectory.SessionName(app: ended.app, sessionId: ended.sessionId)] = ended.until
    }
  }

  /// Their tokens have expired by themselves.
  fileprivate mutating func forgetEnded(before now: Timestamp) {
    guard !endedSessions.isEmpty else { return }
    endedSessions = endedSessions.filter { $0.value >= now }
  }
}
