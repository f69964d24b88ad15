// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Metrics
internal import RPC
internal import SettingsContracts

/// Fills a proxy with every public method. Holds what answers the gateway's own.
///
/// Unchecked Sendable: used on the socket thread only.
final class Routes: @unchecked Sendable {
  let runtime: GatewayRuntime
  /// A member of the thread's loop.
  let health: HealthProbe
  private let loader: SettingsLoader
  private let chooser: SettingsChooser

  /// - Parameter services: by name, all of `ServiceMap.services`.
  init(
    _ proxy: RPCProxy, _ services: [String: Upstream], _ metrics: MetricsRegistry,
    isReady: @escaping () -> Bool
  ) {
    runtime = GatewayRuntime(proxy, metrics)
    health = HealthProbe(proxy, services, isReady: isReady)
    loader = SettingsLoader(proxy, services)
    let home = { (method: MethodDescriptor) -> Upstream in
      guard let name = ServiceMap.service(answering: method.name), let service = services[name] else {
        preconditionFailure("\(method.name) has no service")
      }
      return service
    }
    chooser = SettingsChooser(proxy, consent: home(ConsentMethods.decide.descriptor))
    for method in PublicContract.serviceMethods {
      proxy.add(Route(method, .service(home(method)), metrics))
    }
    let own: [(MethodDescriptor, (MessageParser, ParsedRequest) throws(RPCError) -> (Call) -> Void)] = [
      (SettingsMethods.load.descriptor, loader.prepare), (SettingsMethods.setChoice.descriptor, chooser.prepare),
      (RuntimeMethods.health.descriptor, health.prepare), (RuntimeMethods.discover.descriptor, runtime.discover),
      (RuntimeMethods.stats.descriptor, runtime.stats), (RuntimeMethods.cancel.descriptor, runtime.cancel),
    ]
    for (method, prepare) in own { proxy.add(Route(method, .local(prepare), metrics)) }
  }
}
