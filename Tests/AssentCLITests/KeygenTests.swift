// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Configuration
import Foundation
import RPCZeroMQ
import Testing
import Threading
import ZeroMQ

@testable import AssentCLI

@Suite struct KeygenTests {
  private let folder: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("keygen-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func run(_ words: String...) async -> (status: ProgramStatus, out: String, err: String) {
    let out = Lock<[UInt8]>([])
    let err = Lock<[UInt8]>([])
    let output = Output(
      out: { bytes in out.withLock { $0 += bytes } }, err: { bytes in err.withLock { $0 += bytes } })
    let program = AssentCLI(configuration: Configuration([:]), output: output) { _, _ in throw UsageError("no network")
    }
    let status = await program.run(["keygen"] + words)
    return (
      status, String(decoding: out.withLock { $0 }, as: UTF8.self), String(decoding: err.withLock { $0 }, as: UTF8.self)
    )
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
  }

  private func mode(_ path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: "\(folder)/\(path)")[.posixPermissions] as? Int)
  }

  private func peers(_ name: String) throws -> PeerList { try PeerList(text("\(name)/curve.peers"), path: name) }

  private func publicKeys(_ name: String) throws -> [String] {
    try KeyPairFile.pairs(in: text("\(name)/curve.key"), path: name).map(\.publicKey.z85)
  }

  @Test func `one pair goes into a new file for its owner only, and its public key is printed`() async throws {
    let made = await run("\(folder)/pair")
    #expect(made.status == .done && made.err == "")
    let pairs = try KeyPairFile.pairs(in: text("pair"), path: "pair")
    #expect(made.out == pairs[0].publicKey.z85 + "\n")
    #expect(!made.out.contains(pairs[0].secretKey.z85))
    #expect(try mode("pair") == 0o600)
    let again = await run("\(folder)/pair")
    #expect(again.status == .usage && again.err.contains("cannot be created"))
    #expect(try KeyPairFile.pairs(in: text("pair"), path: "pair")[0].publicKey == pairs[0].publicKey)
  }

  @Test func `a deployment's folder is made where there is none`() async throws {
    #expect(await run("--deployment", "\(folder)/keys").status == .done)
    #expect(try mode("keys") == 0o700)
    #expect(try mode("keys/gateway/curve.key") == 0o600)
    let nowhere = await run("--deployment", "\(folder)/no/keys")
    #expect(nowhere.status == .usage && nowhere.err.contains("\(folder)/no/keys"))
  }

  @Test func `a deployment gets a pair for each program and lists of who knows whom`() async throws {
    let made = await run("--deployment", folder)
    #expect(made.status == .done)
    let services = [
      "account-service", "audit-service", "consent-service", "notification-prefs-service", "permission-service",
    ]
    for name in services + ["gateway", "operator"] {
      #expect(try mode("\(name)/curve.key") == 0o600)
      #expect(made.out.contains("\(try publicKeys(name)[0])\n"))
    }
    for name in services {
      let peers = try peers(name)
      #expect(try peers.keys(of: .gateway).map(\.z85) == publicKeys("gateway"))
      #expect(try peers.keys(of: .operator).map(\.z85) == publicKeys("operator"))
      for other in services { #expect(try peers.keys(of: .service(other)).map(\.z85) == publicKeys(other)) }
    }
    #expect(try peers("operator").keys(of: .gateway).map(\.z85) == publicKeys("gateway"))
    let before = try publicKeys("gateway")
    _ = await run("--deployment", folder)
    #expect(try publicKeys("gateway") == before)
  }

  @Test func `a client is known to the gateway alone, and knows it alone`() async throws {
    #expect(await run("--deployment", folder, "--client", "phone").status == .done)
    let key = try publicKeys("client-phone")
    #expect(try peers("gateway").keys(of: .client("phone")).map(\.z85) == key)
    #expect(try !text("consent-service/curve.peers").contains(key[0]))
    #expect(try text("client-phone/curve.peers").split(separator: "\n").count == 2)
    // It stays when something else is made.
    #expect(await run("--deployment", folder, "--rotate", "gateway").status == .done)
    #expect(try peers("gateway").keys(of: .client("phone")).map(\.z85) == key)
  }

  @Test func `a pair is rotated with the old one beside it, which is forgotten when it is retired`() async throws {
    _ = await run("--deployment", folder)
    let old = try publicKeys("consent-service")
    #expect(await run("--deployment", folder, "--rotate", "consent-service").status == .done)
    let both = try publicKeys("consent-service")
    #expect(both.count == 2 && both[1] == old[0] && both[0] != old[0])
    for name in ["gateway", "audit-service", "consent-service", "operator"] {
      #expect(try peers(name).keys(of: .service("consent-service")).map(\.z85) == both)
    }
    #expect(await run("--deployment", folder, "--rotate", "consent-service").status == .usage)
    #expect(await run("--deployment", folder, "--retire", "consent-service").status == .done)
    #expect(try publicKeys("consent-service") == [both[0]])
    #expect(try peers("gateway").keys(of: .service("consent-service")).map(\.z85) == [both[0]])
    #expect(try mode("consent-service/curve.key") == 0o600)
    #expect(await run("--deployment", folder, "--retire", "consent-service").status == .usage)
  }

  @Test(arguments: [
    [], ["a", "b"], ["--rotate", "gateway"], ["--deployment", "/tmp", "word"],
    ["--deployment", "/tmp", "--rotate", "gateway", "--retire", "gateway"],
    ["--deployment", "/nowhere/at/all"], ["--deployment", "/tmp", "--client", "a/b"],
    ["--deployment", "/tmp", "--retire", "nobody"],
  ])
  func `what is no good is said, and nothing is made`(_ words: [String]) async {
    let output = Output(out: { _ in Issue.record("printed") }, err: { _ in })
    let program = AssentCLI(configuration: Configuration([:]), output: output) { _, _ in throw UsageError("no network")
    }
    #expect(await program.run(["keygen"] + words) == .usage)
  }

  @Test func `a key file that is no good is not overwritten`() async throws {
    _ = await run("--deployment", folder)
    try "secret nonsense".write(toFile: "\(folder)/gateway/curve.key", atomically: true, encoding: .utf8)
    let failed = await run("--deployment", folder)
    #expect(failed.status == .usage && failed.err.contains("line 1"))
    #expect(try text("gateway/curve.key") == "secret nonsense")
  }
}
