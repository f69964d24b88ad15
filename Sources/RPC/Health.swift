// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC
internal import Synchronization
internal import Threading

/// Whether a program can serve, as gRPC's health protocol says it.
public final class Health: Sendable {
  public enum Status: String, Codable, Sendable, CaseIterable {
    case serving = "SERVING"
    case notServing = "NOT_SERVING"
  }

  // Bits of the state.
  private static let serving = 1
  private static let draining = 2
  private static let refusing = 4
  private static let opening = 8

  private let state = Atomic<Int>(0)
  private let closure = Lock<RPCError?>(nil)
  private let said = Lock<String?>(nil)

  public init() {}

  public var status: Status { state.load(ordering: .acquiring) == Self.serving ? .serving : .notServing }
  /// It will stop soon: callers are told, calls are still taken.
  public var isDraining: Bool { state.load(ordering: .acquiring) & Self.draining != 0 }
  /// Callers are told to go elsewhere while there is another: it will stop soon, has only just started, or is closed.
  public var turnsAway: Bool {
    state.load(ordering: .acquiring) & (Self.draining | Self.opening | Self.refusing) != 0
  }
  /// It takes no calls but `rpc.*`.
  public var isRefusing: Bool { state.load(ordering: .acquiring) & Self.refusing != 0 }

  public func setServing() {
    closure.withLock { closure in
      closure = nil
      // A stop that has begun goes on.
      if !isDraining { state.store(Self.serving, ordering: .releasing) }
    }
  }
  /// NOT_SERVING until `setServing` or `close`: it answers, and does not know yet whether it may serve. Calls but `rpc.*` are
  /// refused unseen, so that callers send them again.
  public func setOpening() { state.store(Self.opening | Self.refusing, ordering: .releasing) }
  /// NOT_SERVING, and replies say `draining` so that callers go elsewhere.
  public func setDraining() {
    closure.withLock { closure in
      state.store(closure == nil ? Self.draining : Self.draining | Self.refusing, ordering: .releasing)
    }
  }
  /// As draining, and new calls are refused unseen.
  public func setRefusing() { state.store(Self.draining | Self.refusing, ordering: .releasing) }

  /// NOT_SERVING until `setServing`: it runs, and answers every call but `rpc.*` with `reason`. Callers hear that where no
  /// other replica serves.
  public func close(because reason: RPCError) {
    closure.withLock { closure in
      closure = reason
      if !isDraining { state.store(Self.refusing, ordering: .releasing) }
    }
  }

  /// Why it is closed; nil when it is not.
  public var closedBecause: RPCError? { closure.withLock { $0 } }

  /// What an operator should know of a program that serves.
  public var remark: String? {
    get { said.withLock { $0 } }
    set { said.withLock { $0 = newValue } }
  }

  /// What a call is refused with while `isRefusing`.
  var refusal: RPCError {
    let state = state.load(ordering: .acquiring)
    if state & Self.draining == 0, let closedBecause { return closedBecause }
    if state & Self.opening != 0 { return .unavailable("starting", reason: "starting", retryAfterMs: 100) }
    return .unavailable("shutting down", reason: "draining", retryAfterMs: 0)
  }
}
