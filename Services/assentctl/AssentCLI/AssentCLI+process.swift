// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
internal import Logging
internal import RPC
internal import RPCZeroMQ

extension AssentCLI {
  /// Runs as the process's program and gives its exit status.
  public static func main() async -> Int32 {
    let configuration = Configuration.fromEnvironment()
    let program = AssentCLI(configuration: configuration, output: Output()) { endpoint, server in
      let thread = try SocketThread(name: "assentctl")
      let security = try await BusSecurity.configured(
        by: configuration, for: .closed, on: thread, Logger(program: "assentctl", threshold: .warning))
      var policy = ClientPolicy()
      // What an operator has a service do, one of its replicas does; the next call asks that one how far it is.
      if case .service = server { policy.mostReplicas = 1 }
      return try await ZeroMQClient.connect(endpoint, on: thread, policy: policy, security: security, server: server)
    }
    return await program.run(Array(CommandLine.arguments.dropFirst())).rawValue
  }
}
