// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC
public import RPC
internal import SettingsContracts

/// The other services, by the methods they answer.
public struct Peers: Sendable {
  private let clients: [String: RPCClient]

  /// - Parameters:
  ///   - name: the calling service's.
  ///   - transports: by service name.
  public init(as name: String, _ transports: [String: any ClientTransport]) {
    let profiles = MethodProfiles()
    clients = transports.mapValues { RPCClient($0, as: name, profiles: profiles) }
  }

  /// Calls on behalf of `context`'s caller, within its deadline and trace, the service that answers `method`.
  /// - Throws: `RPCError`.
  public func call<Params, Result>(
    _ method: Method<Params, Result>, _ params: Params, for context: CallContext, idempotencyKey: String? = nil
  ) async throws -> Result {
    try await client(of: service(answering: method.name))
      .call(method, params, for: context, idempotencyKey: idempotencyKey)
  }

  /// Calls as the service itself, in `app`, within `deadline`.
  public func call<Params, Result>(
    _ method: Method<Params, Result>, _ params: Params, app: String, deadline: Deadline, requestId: String? = nil,
    idempotencyKey: String? = nil
  ) async throws -> Result {
    try await client(of: service(answering: method.name))
      .call(
        method, params, app: app, requestId: requestId, deadline: deadline, idempotencyKey: idempotencyKey)
  }

  /// The typed client of a service, by its name.
  /// - Throws: UNAVAILABLE when the program was not told of it.
  public func client(of service: String) throws(RPCError) -> RPCClient {
    guard let client = clients[service] else {
      throw .unavailable("\(service) is not configured", reason: "notConfigured")
    }
    return client
  }

  private func service(answering method: String) -> String { ServiceMap.service(answering: method) ?? "unknown" }
}
