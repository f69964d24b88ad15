// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Metrics
internal import RPC
internal import SettingsContracts

/// A method as the gateway knows it: who may call it, who answers it, what is counted of it.
final class Route {
  enum Target {
    /// A service, which gets the request's bytes as they came.
    case service(Upstream)
    /// The gateway. Decodes while the message's bytes are there; what it returns begins the work.
    case local((MessageParser, ParsedRequest) throws(RPCError) -> (Call) -> Void)
  }

  let descriptor: MethodDescriptor
  let target: Target
  let isWrite: Bool
  /// Anyone may write by it: `session.startDevice`, `session.refresh`. Limited by address.
  let isOpenWrite: Bool
  /// Whether it counts against callers' limits: taking a call back never does.
  let isLimited: Bool
  /// For the transport: how long its calls take, whether it is hedged, whether it waits.
  let profile: MethodProfile
  let inFlight = Gauge()
  let durations: CallDurations

  init(_ descriptor: MethodDescriptor, _ target: Target, _ metrics: MetricsRegistry) {
    self.descriptor = descriptor
    self.target = target
    isWrite = descriptor.effect == .write
    isOpenWrite = isWrite && descriptor.access.anyone && !descriptor.name.hasPrefix("rpc.")
    isLimited = descriptor.name != RuntimeMethods.cancel.name
    profile = MethodProfile(of: descriptor)
    durations = RPCMetrics.durations(of: descriptor.name, in: metrics)
    RPCMetrics.register(inFlight, of: descriptor.name, in: metrics)
  }

  var statistics: MethodStatistics { MethodStatistics(descriptor.name, durations, inFlight: inFlight.value) }
}
