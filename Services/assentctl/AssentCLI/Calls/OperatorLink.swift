// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC

/// Calls of an operator to one service. Services believe them over ipc, and by CURVE from a key with the role `operator`.
struct OperatorLink: Sendable {
  private let client: RPCClient
  private let endpoint: String
  private let timeoutMilliseconds: Int

  init(_ client: RPCClient, endpoint: String, timeoutMilliseconds: Int) {
    self.client = client
    self.endpoint = endpoint
    self.timeoutMilliseconds = timeoutMilliseconds
  }

  /// - Parameter milliseconds: how long to wait, where that is not the command line's `--timeout`.
  /// - Throws: `RPCError`.
  func call<Params, Result>(
    _ method: Method<Params, Result>, _ params: Params, milliseconds: Int? = nil
  ) async throws -> Result {
    do {
      return try await client.call(
        method, params, deadline: .after(milliseconds: milliseconds ?? timeoutMilliseconds),
        CallMetadata(principal: Principal(kind: .key, name: "operator", role: "operator")))
    } catch var error as RPCError where error.reason == "notConnected" {
      error.message = "nothing answers at \(endpoint): is the service running, and is that its endpoint?"
      throw error
    }
  }
}
