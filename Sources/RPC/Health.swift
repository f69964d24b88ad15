// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Whether a program can serve, as gRPC's health protocol says it.
public final class Health: Sendable {
  public enum Status: String, Codable, Sendable, CaseIterable {
    case serving = "SERVING"
    case notServing = "NOT_SERVING"
  }

  private let state = Atomic<Int>(0)

  public init() {}

  public var status: Status { state.load(ordering: .acquiring) == 1 ? .serving : .notServing }
  /// It will stop soon: callers are told, calls are still taken.
  public var isDraining: Bool { state.load(ordering: .acquiring) >= 2 }
  /// It takes no more calls.
  public var isRefusing: Bool { state.load(ordering: .acquiring) == 3 }

  public func setServing() { state.store(1, ordering: .releasing) }
  public func setNotServing() { state.store(0, ordering: .releasing) }
  /// NOT_SERVING, and replies say `draining` so that callers go elsewhere.
  public func setDraining() { state.store(2, ordering: .releasing) }
  /// As draining, and new calls are refused unseen.
  public func setRefusing() { state.store(3, ordering: .releasing) }
}
