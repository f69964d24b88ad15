// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC
internal import SettingsContracts
internal import Synchronization
internal import Threading

/// Checks the signatures of access tokens on a thread of its own: some 100 µs each, which the socket thread cannot spare.
final class TokenVerifier: Sendable {
  enum Verdict: Sendable {
    case signed(TokenClaims)
    /// Signed with a key that is not listed; maybe not yet.
    case unknownKey
    case bad
  }
  private struct Job: Sendable {
    var token: [UInt8]
    var keys: [String: Ed25519.PublicKey]
    var completion: @Sendable (Verdict) -> Void
  }

  private let jobs = Mailbox<Job?>(blocking: true)
  private let waiting = Atomic<Int>(0)
  private let capacity: Int

  /// - Parameter capacity: how many tokens may wait at once.
  init(capacity: Int) {
    self.capacity = capacity
    let jobs = jobs
    startThread(named: "verify") {
      var taken: [Job?] = []
      while true {
        jobs.take(into: &taken)
        for job in taken {
          guard let job else { return }
          job.completion(TokenVerifier.verdict(job.token, job.keys))
        }
        taken.removeAll(keepingCapacity: true)
      }
    }
  }

  deinit { jobs.add(nil) }

  /// - Parameter completion: called on the verifier's thread.
  /// - Returns: false when too many wait already; `completion` is not called then.
  func verify(
    _ token: [UInt8], keys: [String: Ed25519.PublicKey], completion: @escaping @Sendable (Verdict) -> Void
  ) -> Bool {
    guard waiting.load(ordering: .relaxed) < capacity else { return false }
    waiting.add(1, ordering: .relaxed)
    jobs.add(
      Job(token: token, keys: keys) { [waiting = WaitingCount(self)] verdict in
        waiting.decrement()
        completion(verdict)
      })
    return true
  }

  /// Lets a job count down without keeping the verifier alive.
  private final class WaitingCount: Sendable {
    private weak let verifier: TokenVerifier?
    init(_ verifier: TokenVerifier) { self.verifier = verifier }
    func decrement() { verifier?.waiting.subtract(1, ordering: .relaxed) }
  }

  static func verdict(_ token: [UInt8], _ keys: [String: Ed25519.PublicKey]) -> Verdict {
    guard let text = SignedText(String(decoding: token, as: UTF8.self), prefix: TokenClaims.prefix),
      let claims = try? JSON.decode(TokenClaims.self, from: text.payload)
    else { return .bad }
    guard let key = keys[claims.kid] else { return .unknownKey }
    return text.isSigned(by: key) ? .signed(claims) : .bad
  }
}
