// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import RPCTesting
import SettingsContracts
import Threading

/// A service with a real dispatcher whose methods answer what the test says, and which remembers its calls.
final class FakeService: Sendable {
  struct Seen: Sendable {
    var method: String
    var params: JSONValue
    var context: CallContext
  }
  typealias Handler = @Sendable (JSONValue, CallContext) async throws -> JSONValue

  let transport: InProcessTransport
  private let seen: Lock<[Seen]>
  private let handlers: Lock<[String: Handler]>

  /// Answers every public method of `name`: with `{"method": …}` until `on` says otherwise.
  init(_ name: String) {
    let seen = Lock<[Seen]>([])
    let handlers = Lock<[String: Handler]>([:])
    var router = MethodRouter()
    let methods = PublicContract.serviceMethods.map(\.name) + [AccountMethods.authChanges.name]
    for method in methods where ServiceMap.service(answering: method) == name {
      let access = Access(anyone: true, services: ["*"])
      router.on(Method<JSONValue, JSONValue>(method, method, access)) { params, context in
        if method != AccountMethods.authChanges.name {
          seen.withLock { $0.append(Seen(method: method, params: params, context: context)) }
        }
        guard let handler = handlers.withLock({ $0[method] }) else { return ["method": .string(method)] }
        return try await handler(params, context)
      }
    }
    let health = Health()
    health.setServing()
    transport = InProcessTransport(Dispatcher(router, title: name, health: health))
    self.seen = seen
    self.handlers = handlers
  }

  func on(_ method: String, _ handler: @escaping Handler) { handlers.withLock { $0[method] = handler } }

  var calls: [Seen] { seen.withLock { $0 } }
  func calls(of method: String) -> [Seen] { calls.filter { $0.method == method } }
}
