// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Delivers a ledger's outbox to its subscribers: wakes on every commit, batches, repeats until acknowledged. Several at
/// once do no harm.
public final class Relay: Sendable {
  /// Delivers a batch to one subscriber and returns what became of each event.
  public typealias Delivery = @Sendable (_ subscriber: String, _ events: DeliverParams) async throws -> DeliverResult

  public init(_ ledger: Ledger, deliver: @escaping Delivery) { fatalError("pending") }

  /// Runs until its task is cancelled.
  public func run() async { fatalError("pending") }
}
