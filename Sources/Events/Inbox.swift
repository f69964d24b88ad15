// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import SQLStore

/// Takes other services' events, each once and in order per subject and source, in one transaction with what the
/// subscriber makes of them.
public struct Inbox: Sendable {
  private let store: any SQLStore

  public init(store: any SQLStore) { self.store = store }

  /// An event to apply.
  public struct Arrival: Sendable {
    public let event: Event
    /// Its place in the delivered batch.
    public let index: Int
    /// False: of an older generation, or of a subject deleted here. Has no effect on anything but the audit trail.
    public let isCurrent: Bool
  }

  /// Takes a batch.
  /// - Parameters:
  ///   - events: of one or more sources; those of one subject in order.
  ///   - reads: what `apply` wants to know.
  ///   - apply: pure, can be run again; gets the events that are new and in turn, and adds the subscriber's writes.
  /// - Returns: one outcome per event, in order.
  public func accept(
    _ events: [Event], reads: [SQLStatement] = [],
    apply:
      @escaping @Sendable (_ arrivals: [Arrival], _ rows: [SQLRows], _ writes: inout SQLWrites) throws -> Void
  ) async throws -> [Acceptance] {
    fatalError("pending")
  }
}
