// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Metrics
internal import RPC
internal import SettingsContracts

/// `rpc.discover`, `rpc.stats` and `rpc.cancel` as the gateway answers them. Used on the socket thread only.
final class GatewayRuntime {
  private let proxy: RPCProxy
  private let metrics: MetricsRegistry
  private let instance = String(UInt64.random(in: .min ... .max), radix: 16)
  private let startedAt = MonotonicClock.milliseconds()
  private var document: [UInt8]?
  /// Set where there is a ZeroMQ face: over HTTP a connection has one call at a time, so there is none to take back.
  var cancelByID: ((RequestID, Call) -> Bool)?

  init(_ proxy: RPCProxy, _ metrics: MetricsRegistry) {
    self.proxy = proxy
    self.metrics = metrics
  }

  func discover(_ parser: MessageParser, _ request: ParsedRequest) throws(RPCError) -> (Call) -> Void {
    _ = try parser.params(Empty.self, of: request)
    return { [unowned self] call in
      do {
        let made = try document ?? OpenRPC.document(title: "Assent", methods: PublicContract.allMethods).bytes
        document = made
        proxy.settle(call, sharing: made)
      } catch {
        proxy.settle(call, .internalError(processed: .no))
      }
    }
  }

  func stats(_ parser: MessageParser, _ request: ParsedRequest) throws(RPCError) -> (Call) -> Void {
    _ = try parser.params(Empty.self, of: request)
    return { [unowned self] call in
      let result = StatisticsResult(
        instance: instance, uptimeMs: MonotonicClock.milliseconds() - startedAt, inFlight: proxy.callsInFlight,
        methods: proxy.allRoutes.map(\.statistics).sorted { $0.name < $1.name }, metrics: metrics.values)
      proxy.settle(call, result: (try? JSON.encode(result)) ?? Array("{}".utf8))
    }
  }

  func cancel(_ parser: MessageParser, _ request: ParsedRequest) throws(RPCError) -> (Call) -> Void {
    let id = try parser.params(CancelParams.self, of: request).requestID()
    return { [unowned self] call in
      let found = cancelByID?(id, call) ?? false
      proxy.settle(call, result: Array(#"{"found":\#(found)}"#.utf8))
    }
  }
}
