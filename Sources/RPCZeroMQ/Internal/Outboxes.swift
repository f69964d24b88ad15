// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import ZeroMQ

/// Replies that libzmq would not take because their client does not read, kept for each such client in order and within
/// bounds. Clients that keep up are not in here.
struct Outboxes {
  private struct Outbox {
    var replies: [RoutedReply] = []
    var first = 0
    var bytes = 0
    var count: Int { replies.count - first }
  }
  /// Of one client.
  private static let repliesPerClient = 1_024
  private static let bytesPerClient = 8 << 20
  /// Of all clients together.
  private static let bytesInAll = 64 << 20

  private var byRoutingID: [[UInt8]: Outbox] = [:]
  private var bytes = 0

  var isEmpty: Bool { byRoutingID.isEmpty }

  func isBehind(_ route: ReplyRoute) -> Bool { byRoutingID[route.routingID] != nil }

  /// - Returns: false when there is no room.
  mutating func add(_ reply: RoutedReply) -> Bool {
    let id = reply.route.routingID
    let size = reply.byteCount
    let outbox = byRoutingID[id]
    let isWithin =
      outbox.map { $0.count < Outboxes.repliesPerClient && $0.bytes + size <= Outboxes.bytesPerClient } ?? true
    guard isWithin, bytes + size <= Outboxes.bytesInAll else { return false }
    byRoutingID[id, default: Outbox()].replies.append(reply)
    byRoutingID[id]?.bytes += size
    bytes += size
    return true
  }

  /// Sends what can be sent now.
  /// - Parameter send: false: the client still does not read; throws: it has gone.
  /// - Returns: how many replies were given up with their clients.
  mutating func retry(_ send: (RoutedReply) throws(ZeroMQError) -> Bool) -> Int {
    var dropped = 0
    for (id, var outbox) in byRoutingID {
      // Written back at the end only.
      byRoutingID[id] = Outbox()
      do throws(ZeroMQError) {
        while outbox.count > 0 {
          let reply = outbox.replies[outbox.first]
          guard try send(reply) else { break }
          outbox.first += 1
          outbox.bytes -= reply.byteCount
          bytes -= reply.byteCount
        }
      } catch {
        dropped += outbox.count
        bytes -= outbox.bytes
        outbox = Outbox()
      }
      if outbox.first > 64 {
        outbox.replies.removeFirst(outbox.first)
        outbox.first = 0
      }
      byRoutingID[id] = outbox.count > 0 ? outbox : nil
    }
    return dropped
  }

  /// - Returns: how many replies that were.
  mutating func removeAll() -> Int {
    let count = byRoutingID.values.reduce(0) { $0 + $1.count }
    self = Outboxes()
    return count
  }
}
