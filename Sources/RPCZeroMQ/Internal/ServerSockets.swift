// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Logging
internal import Metrics
internal import RPC
internal import ZeroMQ

/// The sockets behind one endpoint of a `ZeroMQServer`: one, or with CURVE one for each key pair that is served.
///
/// A ROUTER has one pair for all its connections, and closing it cuts them. So a new pair gets a ROUTER of its own on the
/// same port, and the old one stays until its clients have had the time to move over.
///
/// Unchecked Sendable: all of it runs on the socket thread; what others read never changes.
final class ServerSockets: LoopMember, @unchecked Sendable {
  let endpoint: String
  let peer: Peer
  let metrics: ServerMetrics

  private struct Served {
    let socket: ServerSocket
    let port: ListeningPort
    let key: CurvePublicKey
    /// When it is closed, in monotonic milliseconds, if its pair has been taken out of use.
    var closesAt: Int64?
  }

  private let thread: SocketThread
  private let handler: any MessageHandler
  private let ring: KeyRing?
  private let limits: ReplyLimits
  private let logger: Logger?
  /// In plain text.
  private var plain: ServerSocket?
  private var served: [Served] = []
  private var isOpen = true
  /// A pair could not be served when it came.
  private var lacksSocket = false

  /// Until a pair that could not be served is tried again, in milliseconds.
  private static let retryInterval = 1_000
  /// Beyond the ring's grace, for calls that still run.
  private static let patience: Int64 = 30_000

  init(
    _ endpoint: String, _ handler: any MessageHandler, _ thread: SocketThread, _ security: BusSecurity,
    _ limits: ReplyLimits, _ metrics: MetricsRegistry?, _ logger: Logger?
  ) throws {
    self.thread = thread
    self.handler = handler
    self.limits = limits
    self.logger = logger
    let metrics = ServerMetrics(metrics)
    self.metrics = metrics
    guard endpoint.hasPrefix("tcp://"), case .curve(let ring) = security else {
      let socket = try ServerSocket(endpoint, handler, thread, limits, metrics, logger)
      ring = nil
      plain = socket
      self.endpoint = socket.endpoint
      peer = socket.peer
      thread.attach(socket)
      return
    }
    self.ring = ring
    peer = .unknown
    let port = try ListeningPort(endpoint)
    let socket = try ServerSocket(port, ring.pair, ring, handler, thread, limits, metrics, logger)
    self.endpoint = socket.endpoint
    served = [Served(socket: socket, port: port, key: ring.pair.publicKey)]
    thread.attach(socket)
    thread.attach(self)
    servePairs()
    ring.observe(by: self) { [unowned self] in servePairs() }
  }

  private var all: [ServerSocket] { plain.map { [$0] } ?? served.map(\.socket) }

  /// Opens a socket for each pair that has none; gives those whose pair is gone a time to end.
  private func servePairs() {
    guard isOpen, let ring else { return }
    let now = MonotonicClock.milliseconds()
    lacksSocket = false
    for pair in ring.pairs where !served.contains(where: { $0.key == pair.publicKey }) { open(pair, ring) }
    if lacksSocket { return }
    for index in served.indices {
      let isInUse = ring.pairs.contains { $0.publicKey == served[index].key }
      served[index].closesAt = isInUse ? nil : served[index].closesAt ?? now + ring.grace
    }
  }

  private func open(_ pair: CurveKeyPair, _ ring: KeyRing) {
    guard let newest = served.last else { return }
    do {
      let port = try newest.port.beside()
      let socket = try ServerSocket(port, pair, ring, handler, thread, limits, metrics, logger)
      served.append(Served(socket: socket, port: port, key: pair.publicKey))
      thread.attach(socket)
    } catch {
      // No descriptor is left: later.
      lacksSocket = true
      ring.logger.error("a new key pair cannot be served yet", ["problem": .string("\(error)")])
    }
  }

  func whenIdle(_ resume: @escaping @Sendable () -> Void) {
    let missing = Countdown(all.count, resume)
    for socket in all { socket.whenIdle { missing.count() } }
  }

  func resumeIdle() {
    for socket in all { socket.resumeIdle() }
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    thread.detach(self)
    for socket in all {
      thread.detach(socket)
      socket.stop()
    }
  }

  // MARK: LoopMember

  func pollItems() -> [PollItem] { [] }

  func turn() -> Bool {
    if lacksSocket { servePairs() }
    let now = MonotonicClock.milliseconds()
    served.removeAll { one in
      guard let closesAt = one.closesAt, now >= closesAt, one.socket.isIdle || now >= closesAt + ServerSockets.patience
      else { return false }
      thread.detach(one.socket)
      one.socket.stop()
      return true
    }
    return false
  }

  func nextTimeout() -> Int? {
    if lacksSocket { return ServerSockets.retryInterval }
    let now = MonotonicClock.milliseconds()
    // A socket that is not idle at its time is looked at again soon.
    return served.compactMap(\.closesAt).map { max(10, Int($0 - now)) }.min()
  }

  func stop() { isOpen = false }
}

/// Calls back once all of several things have happened. Used on the socket thread.
private final class Countdown: @unchecked Sendable {
  private var missing: Int
  private let done: @Sendable () -> Void

  init(_ count: Int, _ done: @escaping @Sendable () -> Void) {
    missing = count
    self.done = done
  }

  func count() {
    missing -= 1
    if missing == 0 { done() }
  }
}
