// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Threading

/// What `rpc.*` shows of a dispatcher: registered before the dispatcher exists, attached once it does.
final class RuntimeView: Sendable {
  private struct WeakDispatcher: Sendable { weak let value: Dispatcher? }
  private let dispatcher = Lock(WeakDispatcher(value: nil))

  func attach(_ dispatcher: Dispatcher) {
    self.dispatcher.withLock { $0 = WeakDispatcher(value: dispatcher) }
  }

  private func statistics() throws -> StatisticsResult {
    guard let dispatcher = dispatcher.withLock({ $0.value }) else {
      throw RPCError.unavailable("shutting down", reason: "draining")
    }
    return dispatcher.statistics
  }

  /// Adds the runtime methods that `router` does not answer itself.
  static func register(_ view: RuntimeView, on router: inout MethodRouter, title: String, health: Health) {
    if router.methods[RuntimeMethods.health.name] == nil {
      router.on(RuntimeMethods.health) { _, _ in
        HealthResult(
          status: health.status, services: [title: health.status],
          reasons: (health.closedBecause?.message ?? health.remark).map { [title: $0] })
      }
    }
    router.on(RuntimeMethods.stats) { _, _ in try view.statistics() }
    // Answered by the dispatcher, which knows the connection; declared here for discovery and access.
    router.on(RuntimeMethods.cancel) { _, _ in CancelResult(found: false) }
    if router.methods[RuntimeMethods.discover.name] == nil {
      let described = router.methods.values.map(\.descriptor) + [RuntimeMethods.discover.descriptor]
      let document = OnceValue { try OpenRPC.document(title: title, methods: described) }
      router.on(RuntimeMethods.discover) { _, _ in try document.value() }
    }
  }
}

/// A value made at its first use, once.
final class OnceValue<Value: Sendable>: Sendable {
  private let made = Lock<Value?>(nil)
  private let make: @Sendable () throws -> Value
  init(_ make: @escaping @Sendable () throws -> Value) { self.make = make }
  func value() throws -> Value {
    try made.withLock { made in
      if let value = made { return value }
      let value = try make()
      made = value
      return value
    }
  }
}
