// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
internal import Logging
internal import RPCZeroMQ

extension AssentCLI {
  /// Runs as the process's program and gives its exit status.
  public static func main() async -> Int32 {
    let configuration = Configuration.fromEnvironment()
    let program = AssentCLI(configuration: configuration, output: Output()) { endpoint, server in
      let thread = try SocketThread(name: "assentctl")
      let security = try await BusSecurity.configured(
        by: configuration, for: .closed, on: thread, Logger(program: "assentctl", threshold: .warning))
      return try await ZeroMQClient.connect(endpoint, on: thread, security: security, server: server)
    }
    return await program.run(Array(CommandLine.arguments.dropFirst())).rawValue
  }
}
