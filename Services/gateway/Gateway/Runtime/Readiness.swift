// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Logging
internal import RPC
internal import RPCZeroMQ

/// Whether the gateway should get traffic: credentials can be judged, it is not stopping, and at its start every service
/// has answered once or had ten seconds to. Later a service that is down is no reason: the others' methods go on.
///
/// Unchecked Sendable: used on the socket thread only.
final class Readiness: @unchecked Sendable {
  /// In milliseconds.
  private static let patience = 10_000
  private static let body = Array(#"{"jsonrpc":"2.0","id":1,"method":"rpc.health"}"#.utf8)

  var isDraining = false
  private var unheard: Set<String> = []
  private let authenticator: Authenticator
  private let thread: SocketThread
  private let logger: Logger

  init(_ authenticator: Authenticator, on thread: SocketThread, _ logger: Logger) {
    self.authenticator = authenticator
    self.thread = thread
    self.logger = logger
  }

  var isReady: Bool { !isDraining && unheard.isEmpty && authenticator.isReady }

  /// Asks every service whether it is there.
  func listen(to services: [String: any ClientTransport]) {
    unheard = Set(services.keys)
    let deadline = Deadline.after(milliseconds: Readiness.patience)
    for (name, transport) in services { ask(name, transport, by: deadline) }
  }

  private func ask(_ name: String, _ transport: any ClientTransport, by deadline: Deadline) {
    let request = OutboundRequest(body: Readiness.body, metadata: Array("{}".utf8), deadline: deadline)
    transport.send(request) { [self] reply in
      thread.onThread { [self] in
        if case .failed(let error) = reply {
          if error.reason == "connectionLost" { return ask(name, transport, by: deadline) }
          logger.warning("a service does not answer", ["service": .string(name), "reason": .string(error.reason)])
        }
        unheard.remove(name)
      }
    }
  }
}
