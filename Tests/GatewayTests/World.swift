// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Configuration
@testable import Gateway
import JSONRPC
import Logging
import RPC
import RPCTesting
import RPCZeroMQ
import SettingsContracts

/// A gateway over real sockets in front of services that answer what the test says.
final class World: Sendable {
  let account: FakeAccount
  let services: [String: FakeService]
  let server: GatewayServer
  let person: String
  let device: String
  let checker: String
  let admin: String

  /// - Parameter wrap: puts something between the gateway and a service.
  init(
    _ environment: [String: String] = [:], pageSize: Int = 100,
    wrap: (String, any ClientTransport) -> any ClientTransport = { $1 }
  ) async throws {
    let services = Dictionary(uniqueKeysWithValues: ServiceMap.services.map { ($0, FakeService($0)) })
    self.services = services
    account = FakeAccount(services["account-service"]!, pageSize: pageSize)
    person = account.makeToken()
    device = account.makeToken(account: nil, device: "tablet", session: "s2")
    checker = account.makeKey("checker", scopes: [.check])
    admin = account.makeKey("root", role: .admin)
    let settings = ["ASSENT_HTTP_PORT": "0", "ASSENT_ZMQ_PORT": "0", "ASSENT_BUS_DIR": "/nowhere"]
    server = try await GatewayServer(
      GatewayConfiguration(Configuration(settings.merging(environment) { $1 })),
      Dictionary(uniqueKeysWithValues: services.map { ($0, wrap($0, $1.transport)) }),
      on: try SocketThread(name: "test"), .silent)
  }

  deinit {
    let server = server
    Task { await server.stop(grace: 0) }
  }

  subscript(service: String) -> FakeService { services[service + "-service"]! }
  var consent: FakeService { self["consent"] }

  func client() -> HTTPClient { HTTPClient(port: server.httpPort!) }

  /// One call on a connection of its own.
  func call(
    _ method: String, _ params: String? = nil, as credential: String? = nil, headers: [String: String] = [:]
  ) async throws -> HTTPClient.Response {
    let body = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)"\#(params.map { #","params":\#($0)"# } ?? "")}"#
    return try await post(body, as: credential, headers: headers)
  }

  func post(
    _ body: String, as credential: String? = nil, headers: [String: String] = [:]
  ) async throws -> HTTPClient.Response {
    var headers = headers
    if let credential { headers["Authorization"] = "Bearer \(credential)" }
    guard let response = try await client().request("POST", "/rpc", body, headers: headers) else {
      throw ClosedByServer()
    }
    return response
  }

  /// Until `condition` holds; the test's time limit ends it otherwise.
  func until(_ condition: () async throws -> Bool) async rethrows {
    while try await !condition() { await Task.yield() }
  }

  func ready() async throws {
    try await until { try await client().request("GET", "/health/ready")?.status == 200 }
  }
}

struct ClosedByServer: Error {}
