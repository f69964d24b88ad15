// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import RPCZeroMQ
internal import SettingsContracts
internal import ZeroMQ

/// `rpc.health`: this gateway and every service, asked side by side. Anyone may ask, so one round at a time serves all who
/// ask meanwhile, and those who come later for as long as it is fresh: a thousand calls cost the services what one does.
///
/// A member of the loop for those whose time is over before the round's.
///
/// Unchecked Sendable: used on the socket thread only.
final class HealthProbe: LoopMember, @unchecked Sendable {
  /// A service that takes longer is not serving, in milliseconds.
  private static let patience = 500
  /// For how long after its beginning a round's result is good, in milliseconds.
  private static let freshness: Int64 = 1_000
  private static let body = Array(#"{"jsonrpc":"2.0","id":1,"method":"rpc.health"}"#.utf8)

  private let proxy: RPCProxy
  private let services: [String: Upstream]
  private let isReady: () -> Bool
  /// What the last round found.
  private var known: Round?
  private var isUnderWay = false
  /// Of the round that is under way.
  private var waiting: [Call] = []
  /// The first moment at which one of them may have no more time.
  private var nextLate: Deadline?

  init(_ proxy: RPCProxy, _ services: [String: Upstream], isReady: @escaping () -> Bool) {
    self.proxy = proxy
    self.services = services
    self.isReady = isReady
  }

  func prepare(_ parser: MessageParser, _ request: ParsedRequest) throws(RPCError) -> (Call) -> Void {
    _ = try parser.params(Empty.self, of: request)
    return { [unowned self] call in answer(call) }
  }

  private func answer(_ call: Call) {
    if let known, MonotonicClock.milliseconds() < known.began + HealthProbe.freshness { return settle(call, known) }
    waiting.append(call)
    nextLate = nextLate.map { min($0, call.deadline) } ?? call.deadline
    if !isUnderWay { ask(for: call) }
  }

  /// The gateway's own state is told as it is now.
  private func settle(_ call: Call, _ round: Round) {
    proxy.settle(call, result: round.text(isReady() ? .serving : .notServing))
  }

  /// - Parameter first: whose round it is, towards the services; it goes on without it.
  private func ask(for first: Call) {
    let round = Round(missing: services.count)
    guard !services.isEmpty else { return end(round) }
    isUnderWay = true
    let request = OutboundRequest(
      body: HealthProbe.body, metadata: MetadataBytes.of(first, locale: nil, idempotencyKey: nil),
      deadline: .after(milliseconds: HealthProbe.patience), isIdempotent: true, profile: first.route.profile)
    for (name, service) in services {
      service.transport.send(request) { [self] reply in
        proxy.thread.onThread { [self] in
          if round.take(name, reply) { end(round) }
        }
      }
    }
  }

  private func end(_ round: Round) {
    isUnderWay = false
    known = round
    let answered = waiting
    waiting = []
    nextLate = nil
    for call in answered { settle(call, round) }
  }

  // MARK: LoopMember

  func pollItems() -> [PollItem] { [] }
  func nextTimeout() -> Int? { nextLate?.remainingMilliseconds }
  func stop() {}
  func turn() -> Bool {
    guard let nextLate, nextLate.isPast else { return false }
    let late = waiting.filter(\.deadline.isPast)
    // Those too that were taken back.
    waiting.removeAll { $0.deadline.isPast || $0.state == .done }
    self.nextLate = waiting.map(\.deadline).min()
    for call in late {
      proxy.settle(call, .deadlineExceeded("the deadline passed while services were asked", processed: .no))
    }
    return false
  }

  /// Unchecked Sendable: used on the socket thread only.
  private final class Round: @unchecked Sendable {
    let began = MonotonicClock.milliseconds()
    private var result = HealthResult(status: .notServing, services: [:])
    private var missing: Int
    /// The result's JSON, by the gateway's state: made once for all who get it.
    private var texts: [Health.Status: [UInt8]] = [:]

    init(missing: Int) { self.missing = missing }

    /// - Returns: whether it was the last.
    func take(_ name: String, _ reply: InboundReply) -> Bool {
      var status = Health.Status.notServing
      if case .reply(let body, _) = reply, let health = try? Response.decode(HealthResult.self, from: body) {
        status = health.status
        if let reasons = health.reasons { result.reasons = (result.reasons ?? [:]).merging(reasons) { $1 } }
      }
      result.services[name] = status
      missing -= 1
      return missing == 0
    }

    func text(_ gateway: Health.Status) -> [UInt8] {
      if let made = texts[gateway] { return made }
      result.status = gateway
      result.services["gateway"] = gateway
      let made = (try? JSON.encode(result)) ?? Array("{}".utf8)
      texts[gateway] = made
      return made
    }
  }
}
