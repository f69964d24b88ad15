// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import Threading

/// Streams of events that wait for one that does not come. A gap is nothing strange while several relays deliver; one that
/// stays for ten seconds means that something is lost.
final class HeldBack: Sendable {
  static let patienceMilliseconds: Int64 = 10_000

  private struct Stream: Hashable {
    let app: String
    let source: String
    let epoch: String
    let subject: String

    init(_ event: Event) {
      app = event.app
      source = event.source
      epoch = event.epoch
      subject = event.subject
    }
  }
  private struct Wait {
    /// Of the first event that was offered and not taken.
    var seq: Int64
    /// Monotonic milliseconds.
    var since: Int64
  }
  private let waits = Lock<[Stream: Wait]>([:])

  /// - Parameter now: monotonic milliseconds.
  func note(_ event: Event, _ outcome: Acceptance, now: Int64) {
    waits.withLock { waits in
      switch outcome {
      case .gap:
        let stream = Stream(event)
        if waits[stream] == nil || event.seq < waits[stream]!.seq {
          waits[stream] = Wait(seq: event.seq, since: waits[stream]?.since ?? now)
        }
      case .applied: if !waits.isEmpty { waits[Stream(event)] = nil }
      case .duplicate, .conflict: break
      }
    }
  }

  /// Whether it is the first of its stream that waits, and has waited for too long.
  func isOverdue(_ event: Event, now: Int64) -> Bool {
    waits.withLock { waits in
      guard let wait = waits[Stream(event)] else { return false }
      return wait.seq == event.seq && now - wait.since >= Self.patienceMilliseconds
    }
  }

  /// Streams that wait for too long.
  func count(now: Int64) -> Int {
    waits.withLock { $0.values.count { now - $0.since >= Self.patienceMilliseconds } }
  }
}
