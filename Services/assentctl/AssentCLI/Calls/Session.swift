// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
internal import JSONRPC
internal import RPC
internal import RPCZeroMQ
internal import SettingsContracts

/// What a command works with: the gateway, the credential, and where its output goes.
struct Session: Sendable {
  /// Opens a connection to an endpoint, by CURVE to the holder of a key of `server`.
  typealias Connect = @Sendable (_ endpoint: String, _ server: PeerRole) async throws -> any ClientTransport

  let endpoint: String
  private let server: PeerRole
  let output: Output
  private let credentials: Credentials
  private let timeoutMilliseconds: Int
  private let connect: Connect
  private let configuration: Configuration
  private let namesEndpoint: Bool

  /// - Throws: `UsageError` for common options that cannot be meant.
  init(_ arguments: Arguments, configuration: Configuration, output: Output, connect: @escaping Connect)
    throws(UsageError)
  {
    credentials = try Credentials(arguments, configuration: configuration)
    endpoint = try Self.endpoint(arguments, configuration)
    server = try Self.server(arguments.value("--server") ?? configuration.string("ASSENT_SERVER"), at: endpoint)
    timeoutMilliseconds = try Self.timeout(arguments.value("--timeout"))
    self.output = output
    self.connect = connect
    self.configuration = configuration
    namesEndpoint = arguments.has("--endpoint")
  }

  /// A connection to one service, past the gateway: over its ipc socket, or by an operator's CURVE key.
  /// - Throws: `UsageError`.
  func operate(_ service: String) async throws -> OperatorLink {
    guard ServiceMap.services.contains(service) else {
      throw UsageError("\(service) is not a service: \(ServiceMap.services.joined(separator: ", "))")
    }
    let endpoint = namesEndpoint ? endpoint : try Self.endpoint(of: service, configuration)
    do {
      return OperatorLink(
        RPCClient(try await connect(endpoint, .service(service)), as: "assentctl"), endpoint: endpoint,
        timeoutMilliseconds: timeoutMilliseconds)
    } catch {
      throw UsageError("the endpoint cannot be used: \(error)")
    }
  }

  /// As the services find each other, or in the folder of `deploy/up`.
  private static func endpoint(of service: String, _ configuration: Configuration) throws(UsageError) -> String {
    let key = "ASSENT_" + service.uppercased().map { $0 == "-" ? "_" : String($0) }.joined() + "_ENDPOINT"
    if let endpoint = configuration.string(key) ?? configuration.string("ASSENT_ENDPOINT") { return endpoint }
    let folder =
      configuration.string("ASSENT_BUS_DIR") ?? configuration.string("ASSENT_DATA_DIR", default: ".assent") + "/bus"
    let path = "\(folder)/\(service).sock"
    // Relative paths too: libzmq takes them as they are.
    guard path.utf8.count <= 107 else {
      throw UsageError("\(path) is longer than a socket's path can be: give --endpoint, or ASSENT_BUS_DIR")
    }
    return "ipc://\(path)"
  }

  /// - Throws: `RPCError`, the gateway's or that it was not reached; `CredentialsError`.
  func call<Params, Result>(
    _ method: Method<Params, Result>, _ params: Params, idempotencyKey: String? = nil
  ) async throws -> Result {
    let token = try credentials.find { output.warn($0) }
    let transport: any ClientTransport
    do {
      transport = try await connect(endpoint, server)
    } catch {
      throw UsageError("the endpoint cannot be used: \(error)")
    }
    do {
      return try await RPCClient(transport, as: "assentctl")
        .call(
          method, params, deadline: .after(milliseconds: timeoutMilliseconds),
          CallMetadata(authorization: token.map { "Bearer \($0)" }, idempotencyKey: idempotencyKey))
    } catch var error as RPCError where error.reason == "notConnected" {
      error.message =
        "nothing answers at \(endpoint): start Assent with deploy/up, or name another --endpoint; with CURVE, see that "
        + "the keys are listed at both ends"
      throw error
    }
  }

  /// Any method, its params and result as they are.
  func call(_ method: String, _ params: RawJSON, idempotencyKey: String? = nil) async throws -> RawJSON {
    try await call(Method<RawJSON, RawJSON>(method, "", .anyone), params, idempotencyKey: idempotencyKey)
  }

  private static func endpoint(_ arguments: Arguments, _ configuration: Configuration) throws(UsageError) -> String {
    let named = arguments.value("--endpoint") ?? configuration.string("ASSENT_ENDPOINT")
    guard let named, !named.isEmpty else {
      let text = configuration.string("ASSENT_ZMQ_PORT", default: "5570")
      guard let port = UInt16(text), port > 0 else { throw UsageError("ASSENT_ZMQ_PORT must be a port, 1 to 65535") }
      return "tcp://127.0.0.1:\(port)"
    }
    guard named.hasPrefix("tcp://") || named.hasPrefix("ipc://") else {
      throw UsageError("the endpoint must be the gateway's ZeroMQ one, tcp://127.0.0.1:PORT or ipc://PATH")
    }
    let localhost = "tcp://localhost:"
    return named.hasPrefix(localhost) ? "tcp://127.0.0.1:" + named.dropFirst(localhost.count) : named
  }

  /// The name that was given, or the service that the endpoint's host is named after, or the gateway.
  private static func server(_ name: String?, at endpoint: String) throws(UsageError) -> PeerRole {
    guard let name else {
      let host = endpoint.hasPrefix("tcp://") ? String(endpoint.dropFirst(6).prefix { $0 != ":" }) : ""
      return ServiceMap.services.contains(host) ? .service(host) : .gateway
    }
    if name == "gateway" { return .gateway }
    guard ServiceMap.services.contains(name) else {
      throw UsageError("--server must be gateway or \(ServiceMap.services.joined(separator: ", "))")
    }
    return .service(name)
  }

  /// `500ms`, `2s` or `2`; milliseconds.
  static func timeout(_ text: String?) throws(UsageError) -> Int {
    guard let text else { return Deadline.standardMilliseconds }
    let isMilliseconds = text.hasSuffix("ms")
    let digits = isMilliseconds ? text.dropLast(2) : text.hasSuffix("s") ? text.dropLast() : text[...]
    let longest = Deadline.longestMilliseconds
    guard let number = Int(digits), (1...longest).contains(number),
      (1...longest).contains(isMilliseconds ? number : number * 1000)
    else { throw UsageError("--timeout must be a time such as 500ms or 5s, at most 30s") }
    return isMilliseconds ? number : number * 1000
  }
}
