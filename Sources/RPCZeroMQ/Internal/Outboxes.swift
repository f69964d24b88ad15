// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import ZeroMQ

/// Replies that libzmq would not take because their client does not read, kept for each such client in order and within
/// bounds. Clients that keep up have nothing in here but a count of what libzmq has of their large replies.
struct Outboxes {
  /// Of one client.
  final class Outbox {
    let id: [UInt8]
    /// Of its large replies, what libzmq has.
    let queued: QueuedBytes
    fileprivate var replies: [RoutedReply?] = []
    fileprivate var first = 0
    fileprivate var bytes = 0
    /// In monotonic milliseconds.
    fileprivate var nextTry: Int64 = 0
    fileprivate var pause: Int64 = 0
    fileprivate var lastRead: Int64 = 0

    fileprivate init(_ id: [UInt8], _ all: QueuedBytes) {
      self.id = id
      queued = QueuedBytes(partOf: all)
    }

    var count: Int { replies.count - first }
    /// Of memory: both here and in libzmq.
    fileprivate var held: Int { bytes + queued.value }
  }

  /// Between tries of a client that does not read, in milliseconds: twice as long each time.
  private static let pauses: ClosedRange<Int64> = 2...16
  /// Who has read nothing for so long may lose all to make room for others, in milliseconds.
  private static let patience: Int64 = 1_000

  private let limits: ReplyLimits
  private var byRoutingID: [[UInt8]: Outbox] = [:]
  /// Those with replies in them.
  private var behind: [Outbox] = []
  private var bytes = 0
  private let queued = QueuedBytes()
  private var nextSweep = 256

  init(_ limits: ReplyLimits) { self.limits = limits }

  var isEmpty: Bool { behind.isEmpty }

  /// Until the next client is to be tried again, in milliseconds; nil: none waits.
  func nextTry(at now: Int64) -> Int? {
    behind.isEmpty ? nil : Int(max(Outboxes.pauses.lowerBound, behind.reduce(.max) { min($0, $1.nextTry) } - now))
  }

  func isBehind(_ route: ReplyRoute) -> Bool {
    guard let outbox = byRoutingID[route.routingID] else { return false }
    return outbox.count > 0
  }

  /// Where a large reply is counted that libzmq gets; nil: it has enough of them for this client, or there is no room.
  /// - Parameter isKept: it is in here, and has its room.
  mutating func account(for reply: RoutedReply, isKept: Bool) -> QueuedBytes? {
    let outbox = outbox(reply.route.routingID)
    let has = outbox.queued.value
    guard has == 0 || has + reply.body.count <= limits.queuedBytes else { return nil }
    return isKept || hasRoom(for: reply.byteCount, in: outbox) ? outbox.queued : nil
  }

  /// Keeps a reply.
  /// - Returns: how many replies were given up: this one, or those of others who do not read at all.
  mutating func add(_ reply: RoutedReply, at now: Int64) -> Int {
    let size = reply.byteCount
    let outbox = outbox(reply.route.routingID)
    guard outbox.count < limits.waiting, outbox.held + size <= limits.bytesPerClient else { return 1 }
    var lost = 0
    while !hasRoom(for: size, in: outbox) {
      guard let deaf = mostHeld(at: now), deaf !== outbox else { return lost + 1 }
      lost += giveUp(deaf)
    }
    if outbox.count == 0 {
      behind.append(outbox)
      (outbox.nextTry, outbox.pause, outbox.lastRead) = (now, 0, now)
    }
    outbox.replies.append(reply)
    outbox.bytes += size
    bytes += size
    return lost
  }

  /// Each may hold as many bytes as are free: see `FairShare`.
  private func hasRoom(for size: Int, in outbox: Outbox) -> Bool {
    outbox.held + size <= limits.bytesInAll - bytes - queued.value - size
  }

  /// Of those who have read nothing for a while, who holds most.
  private func mostHeld(at now: Int64) -> Outbox? {
    behind.lazy.filter { $0.lastRead + Outboxes.patience <= now && $0.count > 0 }.max { $0.bytes < $1.bytes }
  }

  private mutating func giveUp(_ outbox: Outbox) -> Int {
    let count = outbox.count
    bytes -= outbox.bytes
    outbox.bytes = 0
    outbox.replies = []
    outbox.first = 0
    behind.removeAll { $0 === outbox }
    return count
  }

  /// Sends what can be sent now.
  /// - Parameter send: false: the client still does not read; throws: it has gone.
  /// - Returns: how many replies were given up with their clients.
  mutating func retry(at now: Int64, _ send: (RoutedReply, inout Outboxes) throws(ZeroMQError) -> Bool) -> Int {
    var lost = 0
    for outbox in behind where outbox.nextTry <= now {
      var sent = 0
      do throws(ZeroMQError) {
        while outbox.count > 0, let reply = outbox.replies[outbox.first], try send(reply, &self) {
          let size = reply.byteCount
          outbox.replies[outbox.first] = nil
          outbox.first += 1
          outbox.bytes -= size
          bytes -= size
          sent += 1
        }
      } catch {
        lost += giveUp(outbox)
        continue
      }
      if outbox.first > 64 || outbox.count == 0 {
        outbox.replies.removeFirst(outbox.first)
        outbox.first = 0
      }
      if sent > 0 { outbox.lastRead = now }
      outbox.pause = sent > 0 ? 0 : min(max(outbox.pause * 2, Outboxes.pauses.lowerBound), Outboxes.pauses.upperBound)
      outbox.nextTry = now + outbox.pause
    }
    behind.removeAll { $0.count == 0 }
    return lost
  }

  /// - Returns: how many replies that were.
  mutating func removeAll() -> Int {
    let count = behind.reduce(0) { $0 + $1.count }
    self = Outboxes(limits)
    return count
  }

  private mutating func outbox(_ id: [UInt8]) -> Outbox {
    if let known = byRoutingID[id] { return known }
    if byRoutingID.count >= nextSweep {
      // Clients come and go, and nobody tells.
      byRoutingID = byRoutingID.filter { $1.count > 0 || $1.queued.value > 0 }
      nextSweep = max(256, byRoutingID.count * 2)
    }
    let outbox = Outbox(id, queued)
    byRoutingID[id] = outbox
    return outbox
  }
}
