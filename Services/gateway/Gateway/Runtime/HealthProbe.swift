// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import SettingsContracts

/// `rpc.health`: this gateway and every service, asked side by side. Used on the socket thread only.
final class HealthProbe {
  /// A service that takes longer is not serving, in milliseconds.
  private static let patience = 500
  private static let body = Array(#"{"jsonrpc":"2.0","id":1,"method":"rpc.health"}"#.utf8)

  private let proxy: RPCProxy
  private let services: [String: Upstream]
  private let isReady: () -> Bool

  init(_ proxy: RPCProxy, _ services: [String: Upstream], isReady: @escaping () -> Bool) {
    self.proxy = proxy
    self.services = services
    self.isReady = isReady
  }

  func prepare(_ parser: MessageParser, _ request: ParsedRequest) throws(RPCError) -> (Call) -> Void {
    _ = try parser.params(Empty.self, of: request)
    return { [unowned self] call in probe(call) }
  }

  private func probe(_ call: Call) {
    let gathered = Gathering(isReady() ? .serving : .notServing, missing: services.count)
    let deadline = min(call.deadline, .after(milliseconds: HealthProbe.patience))
    let finish = { [proxy] in
      proxy.settle(call, result: (try? JSON.encode(gathered.result)) ?? Array("{}".utf8))
    }
    guard !services.isEmpty else { return finish() }
    for (name, service) in services {
      proxy.send(call, to: service, HealthProbe.body, deadline: deadline) { reply in
        if gathered.take(name, reply) { finish() }
      }
    }
  }

  private final class Gathering {
    private(set) var result: HealthResult
    private var missing: Int

    init(_ gateway: Health.Status, missing: Int) {
      result = HealthResult(status: gateway, services: ["gateway": gateway])
      self.missing = missing
    }

    /// - Returns: whether it was the last.
    func take(_ name: String, _ reply: InboundReply) -> Bool {
      var status = Health.Status.notServing
      if case .reply(let body, _) = reply, let health = try? Response.decode(HealthResult.self, from: body) {
        status = health.status
        if let reasons = health.reasons { result.reasons = (result.reasons ?? [:]).merging(reasons) { $1 } }
      }
      result.services[name] = status
      missing -= 1
      return missing == 0
    }
  }
}
