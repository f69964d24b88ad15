// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import Metrics
public import RPC

/// Delivers a ledger's outbox to its subscribers: wakes on every commit, sends batches, repeats until acknowledged, and
/// then removes the rows. Several at once, in one process or many, do no harm: inboxes take each event once.
public final class Relay: Sendable {
  /// Delivers a batch to one subscriber and returns what became of each event.
  public typealias Delivery = @Sendable (_ subscriber: String, _ events: EncodedEvents) async throws -> DeliverResult

  private let ledger: Ledger
  private let deliver: Delivery
  private let gauges: [String: RelayGauges]

  public init(_ ledger: Ledger, metrics: MetricsRegistry? = nil, deliver: @escaping Delivery) {
    self.ledger = ledger
    self.deliver = deliver
    let clock = ledger.clock
    gauges = Dictionary(
      uniqueKeysWithValues: ledger.subscribers.map { ($0, RelayGauges(subscriber: $0, metrics, clock)) })
  }

  /// Delivers over the bus.
  /// - Parameter client: the client of a subscriber, by its name.
  public convenience init(
    _ ledger: Ledger, metrics: MetricsRegistry? = nil, client: @escaping @Sendable (String) throws -> RPCClient
  ) {
    self.init(ledger, metrics: metrics) { subscriber, events in
      try await client(subscriber)
        .call(EventMethods.deliverEncoded, events, deadline: .after(milliseconds: Courier.deliveryMilliseconds))
    }
  }

  /// Runs until its task is cancelled. Removes old idempotency records on the way.
  public func run() async {
    await withTaskGroup(of: Void.self) { group in
      for subscriber in ledger.subscribers {
        group.addTask {
          var courier = Courier(self.ledger, subscriber, self.gauges[subscriber]!, self.deliver)
          await courier.run()
        }
      }
      group.addTask { await IdempotencySweep(ledger: self.ledger).run() }
      await group.waitForAll()
    }
  }
}
