// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Metrics

/// What a client counts of what it does about failures, by the called service.
struct ClientMetrics: Sendable {
  let retries: Counter
  let hedges: Counter
  let ejections: Counter
  let refused: Counter
  let underWay: Gauge
  let queued: Gauge
  let replicas: Gauge

  init(_ registry: MetricsRegistry?, _ server: PeerRole) {
    var service = server.description
    if case .service(let name) = server { service = name }
    let labels = [("service_peer_name", service)]
    func counter(_ name: String, _ help: String) -> Counter {
      registry?.counter(name, help, labels: labels) ?? Counter()
    }
    func gauge(_ name: String, _ help: String) -> Gauge { registry?.gauge(name, help, labels: labels) ?? Gauge() }
    underWay = gauge("rpc_client_active_requests", "Calls under way, those that wait for a connection among them")
    queued = gauge("assent_rpc_client_queued", "Calls that wait for a connection")
    replicas = gauge("assent_rpc_client_replicas", "Replicas that calls go to")
    retries = counter("assent_rpc_client_retries_total", "Calls sent again")
    hedges = counter("assent_rpc_client_hedges_total", "Second attempts made beside slow first ones")
    ejections = counter("assent_rpc_client_ejections_total", "Replicas taken out of rotation")
    refused = counter("assent_rpc_client_refused_total", "Calls refused by the breaker: too many were under way")
  }
}
