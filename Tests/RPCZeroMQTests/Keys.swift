// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import RPC
import RPCZeroMQ
import ZeroMQ

/// Key files of several programs in a folder of their own, removed when released.
final class Keys: Sendable {
  let folder: String
  let server: CurveKeyPair
  let gateway: CurveKeyPair
  let service: CurveKeyPair
  let `operator`: CurveKeyPair
  let stranger: CurveKeyPair

  static let serverRole = PeerRole.service("consent-service")

  /// The server `consent-service`, which lets in the gateway, audit-service and an operator.
  init() throws {
    var template = Array("/tmp/assent-keys-XXXXXX".utf8CString)
    mkdtemp(&template)
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    server = try .generate()
    gateway = try .generate()
    service = try .generate()
    `operator` = try .generate()
    stranger = try .generate()
    write(keys: [server], of: "server")
    write(
      peers: [("gateway", gateway), ("service:audit-service", service), ("operator", `operator`)], of: "server")
    for (name, pair) in [("gateway", gateway), ("service", service), ("operator", `operator`), ("stranger", stranger)] {
      write(keys: [pair], of: name)
      write(peers: [("\(Keys.serverRole)", server)], of: name)
    }
  }

  deinit {
    for name in ["server", "gateway", "service", "operator", "stranger"] {
      unlink("\(folder)/\(name).key")
      unlink("\(folder)/\(name).peers")
    }
    rmdir(folder)
  }

  func files(_ name: String) -> KeyFiles {
    KeyFiles(keys: "\(folder)/\(name).key", peers: "\(folder)/\(name).peers")
  }

  func write(keys: [CurveKeyPair], of name: String) { put(KeyPairFile.text(keys, note: name), "\(name).key") }

  func write(peers: [(String, CurveKeyPair)], of name: String) {
    put(peers.map { "\($0) \($1.publicKey)\n" }.joined(), "\(name).peers")
  }

  /// Replaces the file whole.
  func put(_ text: String, _ name: String) {
    let draft = "\(folder)/draft"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    _ = text.withCString { Glibc.write(descriptor, $0, strlen($0)) }
    close(descriptor)
    rename(draft, "\(folder)/\(name)")
  }

  /// On a thread of its own, looking at its files often.
  func ring(_ name: String, _ door: KeyRing.Door, on thread: SocketThread, grace: Int64 = 60_000) async throws
    -> KeyRing
  {
    try await .open(files(name), for: door, on: thread, .silent, interval: 10, grace: grace)
  }
}

/// A program with keys: a thread and a server or a client on it.
struct Program {
  let thread: SocketThread
  let ring: KeyRing

  init(_ name: String, _ keys: Keys, _ door: KeyRing.Door = .closed, grace: Int64 = 60_000) async throws {
    thread = try SocketThread(name: name)
    ring = try await keys.ring(name, door, on: thread, grace: grace)
  }

  func serve(_ handler: any MessageHandler) async throws -> ZeroMQServer {
    try await .bind("tcp://127.0.0.1:*", handler, on: thread, security: .curve(ring))
  }

  func client(of endpoint: String) async throws -> ZeroMQClient {
    try await .connect(endpoint, on: thread, security: .curve(ring), server: Keys.serverRole)
  }
}
