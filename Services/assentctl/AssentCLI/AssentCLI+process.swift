// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
internal import RPCZeroMQ

extension AssentCLI {
  /// Runs as the process's program and gives its exit status.
  public static func main() async -> Int32 {
    let program = AssentCLI(configuration: .fromEnvironment(), output: Output()) { endpoint in
      try await ZeroMQClient.connect(endpoint, on: SocketThread(name: "assentctl"))
    }
    return await program.run(Array(CommandLine.arguments.dropFirst())).rawValue
  }
}
