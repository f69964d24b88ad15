// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC
internal import Metrics
internal import RPC
internal import SettingsContracts

/// Judges credentials. Everything happens on the socket thread, except the checking of signatures.
///
/// A credential that is not known yet may be seconds old: it is refused only after a load of the directory that began
/// after the request came. So whoever was just given a key can use it at once.
final class Authenticator {
  struct Limits {
    /// Good credentials that are remembered.
    var cache = 65_536
    /// Tokens that may wait for their signature to be checked; as many credentials may wait for news.
    var verifications = 1024
    /// Bad credentials from one address: this many at once, then one every `failureInterval` milliseconds. What is known
    /// to be good is not concerned, so that one bad client does not lock out those who share its address.
    var failureBurst = 20
    var failureInterval = 1000
    /// Without news from account-service for longer than this, in milliseconds, nobody is believed.
    var staleness: Int64 = 1000
    /// Nor refused at once, up to this: a hiccup is waited out by those who call in it.
    var hiccup: Int64 = 3000
    init() {}
  }

  enum Outcome {
    case good(Credential)
    case refused(RPCError)
    /// Refused, and told after a pause: so a client with many connections cannot keep the loop busy.
    case heldBack(RPCError)
  }

  private(set) var directory = AuthDirectory()
  /// When the last load that succeeded began, in monotonic milliseconds.
  private var confirmedAt: Int64 = .min
  private let startedAt = MonotonicClock.milliseconds()
  /// `confirmedAt` for the metrics; before the first load, the start.
  let newsAt = Gauge()
  private var cache: CredentialCache
  private var failures: AddressLimit
  private let verifier: TokenVerifier
  private let limits: Limits
  private let clock: any WallClock
  private let perform: @Sendable (@escaping @Sendable () -> Void) -> Void
  /// Asks for a load now.
  var refresh: () -> Void = {}
  /// Who waits for the check of a token that is under way, by its text.
  private var verifying: [[UInt8]: [(Outcome) -> Void]] = [:]
  /// Who waits for a load that begins later than now.
  private var waitingForNews: [Waiting] = []
  private struct Waiting {
    var text: [UInt8]
    var address: String
    /// Before which load it came, in monotonic milliseconds.
    var since: Int64
    var completion: (Outcome) -> Void
  }

  /// - Parameter perform: runs work on the socket thread.
  init(
    limits: Limits = Limits(), clock: any WallClock,
    perform: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    self.limits = limits
    self.clock = clock
    self.perform = perform
    cache = CredentialCache(capacity: limits.cache)
    failures = AddressLimit(burst: limits.failureBurst, interval: limits.failureInterval)
    verifier = TokenVerifier(capacity: limits.verifications)
    newsAt.set(Int(startedAt))
  }

  /// Whether credentials can be judged: everything was loaded once, and news came within the last second.
  var isReady: Bool { directory.isLoaded && confirmedAt >= MonotonicClock.milliseconds() - limits.staleness }

  /// Judges a credential whose text is `text`.
  /// - Parameters:
  ///   - address: of the client; asked for only when the credential is not known to be good.
  ///   - later: called on the socket thread, later, when this returns nil.
  /// - Returns: the outcome, if it can be told at once.
  func judge(
    _ text: UnsafeRawBufferPointer, from address: () -> String, later: @escaping (Outcome) -> Void
  ) -> Outcome? {
    if let outcome = known(text) { return outcome }
    guard isReady else { return wait(text, address, later) }
    let address = address()
    let now = MonotonicClock.milliseconds()
    if let wait = failures.wait(address, now: now) { return .heldBack(Authenticator.tooManyFailures(wait)) }
    guard text.count <= 4096, !text.isEmpty else { return fail(address) }
    return first(Array(text), address, since: now, mayWait: true, later)
  }

  /// The same of a credential that was found good before, which most are; nil: of this one only `judge` can tell.
  func known(_ text: UnsafeRawBufferPointer) -> Outcome? {
    guard isReady, let credential = cache.find(text) else { return nil }
    return recheck(credential, text)
  }

  /// While nobody can be believed: soon, maybe.
  private func wait(
    _ text: UnsafeRawBufferPointer, _ address: () -> String, _ later: @escaping (Outcome) -> Void
  ) -> Outcome? {
    let now = MonotonicClock.milliseconds()
    guard now - max(confirmedAt, startedAt) <= limits.hiccup, text.count <= 4096,
      waitingForNews.count < limits.verifications
    else { return .refused(Authenticator.unavailable) }
    waitingForNews.append(Waiting(text: Array(text), address: address(), since: now, completion: later))
    refresh()
    return nil
  }

  /// A credential that is not in the cache.
  private func first(
    _ text: [UInt8], _ address: String, since: Int64, mayWait: Bool, _ later: @escaping (Outcome) -> Void
  ) -> Outcome? {
    if text.starts(with: Authenticator.tokenStart) { return verify(text, address, since, mayWait, later) }
    let hash = Hex.encode(SHA256.hash(text))
    guard let key = directory.key(hash: hash) else {
      guard mayWait else { return fail(address) }
      return waitForNews(Waiting(text: text, address: address, since: since, completion: later))
    }
    let credential = Credential(key, version: directory.version)
    if let refusal = refusal(of: credential) { return .refused(refusal) }
    cache.insert(credential, for: text)
    return .good(credential)
  }

  private func verify(
    _ text: [UInt8], _ address: String, _ since: Int64, _ mayWait: Bool, _ later: @escaping (Outcome) -> Void
  ) -> Outcome? {
    if verifying[text] != nil {
      verifying[text]!.append(later)
      return nil
    }
    nonisolated(unsafe) let me = self  // Used on the socket thread only, where `perform` runs it.
    let perform = perform
    let taken = verifier.verify(text, keys: directory.publicKeys) { verdict in
      perform { me.verified(text, address, since, mayWait, verdict) }
    }
    guard taken else { return .refused(Authenticator.tooManyAtOnce) }
    verifying[text] = [later]
    return nil
  }

  private func verified(
    _ text: [UInt8], _ address: String, _ since: Int64, _ mayWait: Bool, _ verdict: TokenVerifier.Verdict
  ) {
    let waiting = verifying.removeValue(forKey: text) ?? []
    let outcome: Outcome
    switch verdict {
    case .signed(let claims):
      let credential = Credential(claims, version: directory.version)
      if let refusal = refusal(of: credential) {
        outcome = .refused(refusal)
      } else {
        cache.insert(credential, for: text)
        outcome = .good(credential)
      }
    case .unknownKey where mayWait:
      for completion in waiting {
        if let outcome = waitForNews(Waiting(text: text, address: address, since: since, completion: completion)) {
          completion(outcome)
        }
      }
      return
    case .unknownKey, .bad: outcome = fail(address)
    }
    for completion in waiting { completion(outcome) }
  }

  /// A credential that was good in an earlier version of the directory.
  private func recheck(_ credential: Credential, _ text: UnsafeRawBufferPointer) -> Outcome {
    if credential.checkedVersion != directory.version || credential.expiresAt != nil {
      if let refusal = refusal(of: credential) {
        cache.remove(text)
        return .refused(refusal)
      }
      credential.checkedVersion = directory.version
    }
    return .good(credential)
  }

  private func refusal(of credential: Credential) -> RPCError? {
    switch credential.basis {
    case .none: break
    case .key(let hash):
      guard let key = directory.key(hash: hash), key.revoked != true else {
        return .unauthenticated("the key was revoked", reason: "keyRevoked")
      }
    case .session(let app, let id):
      if directory.hasEnded(id, app: app) { return .unauthenticated("the session has ended", reason: "sessionEnded") }
    }
    if let end = credential.expiresAt, clock.now() >= end {
      return .unauthenticated("the credential has expired", reason: "expired")
    }
    return nil
  }

  private func fail(_ address: String) -> Outcome {
    failures.count(address, now: MonotonicClock.milliseconds())
    return .refused(.unauthenticated("the credential is not known", reason: "unknownCredential"))
  }

  private static let tokenStart = Array((TokenClaims.prefix + ".").utf8)

  private static let unavailable = RPCError.unavailable(
    "credentials cannot be checked now", reason: "authenticationUnavailable", retryAfterMs: 250)

  /// Nothing is known of the credential, so it counts as no failure of its address.
  private static let tooManyAtOnce = RPCError.resourceExhausted(
    "too many new credentials at once", reason: "verificationQueue", retryAfterMs: 100)

  private static func tooManyFailures(_ wait: Int) -> RPCError {
    .resourceExhausted("too many bad credentials from this address", reason: "failureLimit", retryAfterMs: wait)
  }
}

// MARK: - News from account-service

extension Authenticator {
  private func waitForNews(_ waiting: Waiting) -> Outcome? {
    guard waitingForNews.count < limits.verifications else { return .refused(Authenticator.tooManyAtOnce) }
    waitingForNews.append(waiting)
    refresh()
    return nil
  }

  /// Takes in a page that a load gave which began at `began`, in monotonic milliseconds.
  func apply(_ page: AuthChanges, began: Int64) {
    directory.apply(page, now: clock.now())
    guard page.more != true else { return }
    confirmedAt = began
    newsAt.set(Int(began))
    settleWaiting { $0.since <= began }
  }

  /// A load failed. Who waits for one is told once nothing can be known any more.
  func loadFailed() {
    guard !isReady else { return }
    let waiting = waitingForNews
    waitingForNews = []
    for one in waiting { one.completion(.refused(Authenticator.unavailable)) }
  }

  private func settleWaiting(_ isServed: (Waiting) -> Bool) {
    guard !waitingForNews.isEmpty else { return }
    let all = waitingForNews
    waitingForNews = all.filter { !isServed($0) }
    for one in all where isServed(one) {
      let known: Outcome? = one.text.withUnsafeBytes { text in cache.find(text).map { recheck($0, text) } }
      if let outcome = known ?? first(one.text, one.address, since: one.since, mayWait: false, one.completion) {
        one.completion(outcome)
      }
    }
    if !waitingForNews.isEmpty { refresh() }
  }
}
