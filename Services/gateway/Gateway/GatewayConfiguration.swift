// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Configuration
internal import HTTPServer
internal import SettingsContracts

/// What the gateway is told by its environment; `README.md` lists the keys.
public struct GatewayConfiguration: Sendable {
  /// Nil: HTTP is not served.
  var http: HTTPServerConfiguration?
  /// The endpoint of the ZeroMQ face; nil: it is not served.
  var zeroMQ: String?
  /// Of each service by its name: one or several, separated by commas.
  var endpoints: [String: String] = [:]
  var limits = Authenticator.Limits()
  var callLimits: CallLimits
  /// Calls that may run at once.
  var inFlight: Int
  /// Calls of methods that anyone may write by, from one address at once.
  var newcomers: Int
  /// Between saying that it is not ready and refusing calls, in seconds.
  var drainSeconds: Int
  /// Proxies in front whose `X-Forwarded-For` is believed.
  var proxyHops: Int
  /// Of CURVE: see `BusSecurity`.
  let bus: Configuration

  /// - Throws: `ConfigurationError`.
  public init(_ configuration: Configuration) throws(ConfigurationError) {
    bus = configuration
    let listen = try configuration.choice(
      "ASSENT_GATEWAY_LISTEN", default: "http,zmq", of: ["http", "zmq", "http,zmq", "zmq,http"]
    ).split(separator: ",")
    callLimits = try CallLimits(configuration)
    inFlight = try configuration.int("ASSENT_GATEWAY_IN_FLIGHT", default: 4096, in: 1...1_000_000)
    newcomers = try configuration.int("ASSENT_NEWCOMERS", default: 200, in: 1...1_000_000)
    drainSeconds = try configuration.int("ASSENT_DRAIN_SECONDS", default: 0, in: 0...600)
    proxyHops = try configuration.int("ASSENT_PROXY_HOPS", default: 0, in: 0...16)
    limits.failureBurst = try configuration.int("ASSENT_AUTH_FAILURES", default: 20, in: 1...1_000_000)
    if listen.contains("http") {
      http = HTTPServerConfiguration(
        address: configuration.string("ASSENT_HTTP_ADDRESS", default: "127.0.0.1"),
        port: UInt16(try configuration.int("ASSENT_HTTP_PORT", default: 8080, in: 0...65_535)),
        connectionLimit: try configuration.int("ASSENT_HTTP_CONNECTIONS", default: 4096, in: 1...1_000_000),
        connectionsPerAddress: try configuration.int(
          "ASSENT_ADDRESS_CONNECTIONS", default: proxyHops > 0 ? 0 : 1024, in: 0...1_000_000),
        idleSeconds: try configuration.int("ASSENT_HTTP_IDLE_SECONDS", default: 60, in: 1...3600),
        receiveSeconds: try configuration.int("ASSENT_HTTP_RECEIVE_SECONDS", default: 30, in: 1...3600),
        sendSeconds: try configuration.int("ASSENT_HTTP_SEND_SECONDS", default: 60, in: 1...3600),
        bufferLimit: callLimits.bytes)
    }
    if listen.contains("zmq") {
      let port = try configuration.int("ASSENT_ZMQ_PORT", default: 5570, in: 0...65_535)
      zeroMQ =
        configuration.string("ASSENT_ZMQ_ENDPOINT") ?? (port == 0 ? "tcp://127.0.0.1:*" : "tcp://127.0.0.1:\(port)")
    }
    for service in ServiceMap.services { endpoints[service] = try endpoint(of: service, configuration) }
  }

  /// Connections that take more descriptors than the process may have open are not accepted: half of them are for HTTP.
  /// - Parameter descriptors: how many there may be.
  /// - Returns: what was lowered, for the log.
  mutating func fit(into descriptors: Int) -> String? {
    guard let configured = http?.connectionLimit, configured > descriptors / 2 else { return nil }
    http?.connectionLimit = descriptors / 2
    return
      "only \(descriptors) descriptors may be open (ulimit -n), so \(descriptors / 2) HTTP connections are accepted "
      + "in place of \(configured)"
  }

  private func endpoint(of service: String, _ configuration: Configuration) throws(ConfigurationError) -> String {
    let key = "ASSENT_" + service.uppercased().map { $0 == "-" ? "_" : String($0) }.joined() + "_ENDPOINT"
    if let endpoint = configuration.string(key) { return endpoint }
    guard let folder = configuration.string("ASSENT_BUS_DIR") else {
      throw ConfigurationError(key: key, problem: "is not set, nor is ASSENT_BUS_DIR")
    }
    return "ipc://\(folder)/\(service).sock"
  }
}
