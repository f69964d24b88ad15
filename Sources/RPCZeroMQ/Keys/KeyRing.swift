// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import Logging
public import Metrics
internal import RPC
public import ZeroMQ

/// A program's keys and those of its peers, kept as its files say; and the judge of who may connect (ZAP). Lives on a
/// `SocketThread`, and there is none without its handler bound, so no CURVE endpoint can be bound before it.
///
/// Unchecked Sendable: all of it runs on the socket thread.
public final class KeyRing: LoopMember, @unchecked Sendable {
  /// Whom a program lets in.
  public enum Door: Sendable {
    /// A service's: the gateway, other services, operators.
    case service
    /// The gateway's: clients and operators, and itself for its health.
    case gateway
    /// Nobody: for programs that only call.
    case closed

    func admits(_ role: PeerRole) -> Bool {
      switch (self, role) {
      case (.service, .gateway), (.service, .service), (.service, .operator), (.gateway, .client),
        (.gateway, .operator), (.gateway, .gateway):
        true
      default: false
      }
    }
  }

  static let domain = "assent"
  private static let answersPerTurn = 256

  let zap: ZapSocket
  /// How long a pair that was taken out of use is still served, in milliseconds.
  let grace: Int64
  private(set) var pairs: [CurveKeyPair]
  private(set) var peers: PeerList
  /// Whether a key that was let in may have been taken off the list since: then each message's is looked up.
  private(set) var mayHoldStrangers = false
  private var watch: KeyFileWatch?
  private var observers: [Observer] = []
  private let door: Door
  let logger: Logger
  private let accepted: Counter
  private let refused: Counter
  /// When a refusal may be logged again, in monotonic milliseconds.
  private var nextWarning: Int64 = 0

  private struct Observer {
    weak var object: AnyObject?
    let changed: () -> Void
  }

  /// Reads the files, binds the handler and begins to watch the files.
  /// - Parameters:
  ///   - interval: between two looks at the files, in milliseconds.
  ///   - grace: how long a pair that was taken out of use is still served, in milliseconds.
  /// - Throws: `KeyFileError`; `ZeroMQError`, also when the thread has a key ring already; `SocketThreadEnded`.
  public static func open(
    _ files: KeyFiles, for door: Door, on thread: SocketThread, _ logger: Logger, metrics: MetricsRegistry? = nil,
    interval: Int = 500, grace: Int64 = 60_000
  ) async throws -> KeyRing {
    let fingerprint = files.fingerprint
    let contents = try files.read()
    if files.isReadableByOthers {
      logger.warning("the key file can be read by other users", ["path": .string(files.keys)])
    }
    return try await thread.run {
      let ring = try KeyRing(contents, door, grace, thread, logger, metrics)
      thread.attach(ring)
      // `ring` is kept by the thread until it stops, and the watch ends then.
      ring.watch = KeyFileWatch(files, loaded: fingerprint, interval: interval) { [weak ring, weak thread] result in
        thread?.perform { [weak ring] in ring?.filesChanged(result) }
      }
      return ring
    }
  }

  private init(
    _ contents: KeyFiles.Contents, _ door: Door, _ grace: Int64, _ thread: SocketThread, _ logger: Logger,
    _ metrics: MetricsRegistry?
  ) throws {
    zap = try ZapSocket(in: thread.context)
    pairs = contents.pairs
    peers = contents.peers
    self.door = door
    self.grace = grace
    self.logger = logger
    (accepted, refused) = KeyRing.counters(in: metrics)
  }

  static func counters(in metrics: MetricsRegistry?) -> (accepted: Counter, refused: Counter) {
    func counter(_ name: String, _ help: String) -> Counter { metrics?.counter(name, help) ?? Counter() }
    return (
      counter("assent_curve_accepted_total", "Connections let in by their CURVE key"),
      counter("assent_curve_refused_total", "Connections refused: their CURVE key is not listed")
    )
  }

  /// The pair in use.
  var pair: CurveKeyPair { pairs[0] }

  /// `changed` is called on the socket thread whenever the files have, as long as `object` lives.
  func observe(by object: AnyObject, _ changed: @escaping () -> Void) {
    observers.append(Observer(object: object, changed: changed))
  }

  /// Whether a connection that was let in with that key, as that role, would be now.
  func stillAdmits(_ key: CurvePublicKey?, as role: PeerRole) -> Bool { key.map { peers.roles[$0] == role } ?? false }

  private func filesChanged(_ result: Result<KeyFiles.Contents, any Error>) {
    switch result {
    case .failure(let error):
      logger.warning("changed keys cannot be used; the old ones stay", ["problem": .string("\(error)")])
    case .success(let contents):
      if contents.peers.lacksKeys(of: peers) { mayHoldStrangers = true }
      pairs = contents.pairs
      peers = contents.peers
      logger.info("keys read again", ["peers": .integer(Int64(peers.roles.count))])
      observers.removeAll { $0.object == nil }
      for observer in observers {
        // Kept alive meanwhile.
        if let object = observer.object { withExtendedLifetime(object, observer.changed) }
      }
    }
  }

  private func judge(_ request: ZapRequest) -> ZapVerdict {
    if let key = request.publicKey, let role = peers.roles[key], door.admits(role) {
      accepted.increment()
      return .accepted(userID: role.description)
    }
    refused.increment()
    let now = MonotonicClock.milliseconds()
    if now >= nextWarning {
      nextWarning = now + 10_000
      logger.warning("connections were refused: their keys are not listed", ["total": .integer(Int64(refused.value))])
    }
    return .refused
  }

  // MARK: LoopMember

  public func pollItems() -> [PollItem] { [PollItem(zap.socket)] }

  public func turn() -> Bool {
    var count = 0
    while count < KeyRing.answersPerTurn, (try? zap.answerNext(judge)) == true { count += 1 }
    return count == KeyRing.answersPerTurn
  }

  public func nextTimeout() -> Int? { nil }

  public func stop() {
    watch?.stop()
    observers = []
    zap.close()
  }
}
