// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Configuration
import Foundation
import JSONRPC
import RPC
import RPCTesting
import SettingsContracts
import Testing
import Threading

@testable import AssentCLI

/// The program against a server in this process that keeps what it was sent.
struct CommandTests {
  struct Run: Sendable {
    var status: ProgramStatus
    var out: String
    var err: String
  }

  final class Server: Sendable {
    let requests = Lock<[(method: String, params: JSONValue, authorization: String?, key: String?)]>([])
    let isConnected: Bool
    /// What the gateway says of its services; nil: it says how it is itself.
    let services: [String: Health.Status]?

    init(isConnected: Bool = true, services: [String: Health.Status]? = nil) {
      self.isConnected = isConnected
      self.services = services
    }

    var transport: InProcessTransport {
      var router = MethodRouter()
      func echo(_ name: String, _ access: Access = .anyone) {
        router.on(Method<JSONValue, JSONValue>(name, "Echoes \(name)", access)) { params, context in
          if params["fail"] != nil {
            var error = RPCError.invalidParams("quietHours.from.hour", "27 is not in 0...23", display: "Pick an hour.")
            error.details = ["extra": 1]
            throw error
          }
          return params
        }
      }
      echo("test.echo")
      router.on(RuntimeMethods.discover) { _, _ in
        RawJSON(
          Array(
            #"""
            {"openrpc":"1.3.2","methods":[{"name":"test.echo","summary":"Echoes test.echo"},{"name":"audit.export"}]}
            """#.utf8))
      }
      router.on(AuditMethods.export) { params, context in
        let page = params.cursor == nil ? 1 : 2
        return AuditExport(
          format: .json, contentType: "application/json", content: "[\n{\"page\":\(page)}\n]\n", count: 1, entryId: "e",
          nextCursor: page == 1 ? "more" : nil)
      }
      router.on(KeyMethods.create) { params, _ in
        ServiceKey(
          keyId: "k1", name: params.name, owner: params.owner, scopes: params.scopes, role: params.role,
          createdAt: Timestamp(milliseconds: 0), expiresAt: params.expiresAt, key: "secret")
      }
      router.on(SessionMethods.start) { params, _ in
        SessionGrant(
          sessionId: "s1", deviceId: params.deviceId ?? "d1", token: "the-token", expiresAt: params.authenticatedAt)
      }
      if let services {
        router.on(RuntimeMethods.health) { _, _ in HealthResult(status: .serving, services: services) }
      }
      let health = Health()
      health.setServing()
      let transport = InProcessTransport(
        Recorder(
          Dispatcher(router, title: "test", health: health),
          { [self] request in requests.withLock { $0.append(request) } }))
      transport.setConnected(isConnected)
      return transport
    }
  }

  /// Passes messages on as an administrator's, and notes what they held.
  final class Recorder: MessageHandler {
    typealias Note = @Sendable ((method: String, params: JSONValue, authorization: String?, key: String?)) -> Void
    private let inner: any MessageHandler
    private let note: Note

    init(_ inner: any MessageHandler, _ note: @escaping Note) {
      self.inner = inner
      self.note = note
    }

    func receive(_ message: InboundMessage, reply: @escaping @Sendable (OutboundReply) -> Void) {
      let request = try? JSON.decode(JSONValue.self, from: message.body)
      note(
        (
          request?["method"]?.stringValue ?? "", request?["params"] ?? nil, message.metadata.authorization,
          message.metadata.idempotencyKey
        ))
      var metadata = message.metadata
      metadata.principal = Principal(kind: .key, name: "test", role: "admin")
      inner.receive(
        InboundMessage(body: message.body, metadata: metadata, peer: message.peer, connection: message.connection),
        reply: reply)
    }
    func turnEnded() { inner.turnEnded() }
  }

  func run(_ line: [String], _ server: Server = Server(), environment: [String: String] = [:]) async -> Run {
    let out = Lock<[UInt8]>([])
    let err = Lock<[UInt8]>([])
    let output = Output(
      out: { bytes in out.withLock { $0 += bytes } }, err: { bytes in err.withLock { $0 += bytes } })
    let configuration = Configuration(["ASSENT_DATA_DIR": "/nonexistent"].merging(environment) { $1 })
    let transport = server.transport
    let status = await AssentCLI(configuration: configuration, output: output) { _, _ in transport }.run(line)
    return Run(
      status: status, out: String(decoding: out.withLock { $0 }, as: UTF8.self),
      err: String(decoding: err.withLock { $0 }, as: UTF8.self))
  }

  /// A data folder with a credentials.json.
  func folder(_ text: String = #"{"adminKey":"admin-1","demoToken":"demo-1"}"#, mode: Int = 0o600) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("assentctl-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    _ = FileManager.default.createFile(
      atPath: folder + "/credentials.json", contents: Data(text.utf8), attributes: [.posixPermissions: mode])
    return folder
  }

  @Test
  func `a call's params go as they are, and its result is laid out`() async {
    let server = Server()
    let run = await run(["call", "test.echo", #"{"b":1,"a":[true]}"#, "--idempotency-key", "k"], server)
    #expect(run.status == .done)
    #expect(run.err.isEmpty)
    #expect(run.out == "{\n  \"a\": [\n    true\n  ],\n  \"b\": 1\n}\n")
    let sent = server.requests.withLock { $0[0] }
    #expect(sent.method == "test.echo" && sent.params == ["a": [true], "b": 1] && sent.key == "k")
  }

  @Test
  func `with --json a result is one line`() async {
    #expect(await run(["call", "test.echo", #"{"a":{}}"#, "--json"]).out == "{\"a\":{}}\n")
  }

  @Test
  func `params come from a file too`() async throws {
    let path = try folder(#"{"x":"y"}"#) + "/credentials.json"
    #expect(await run(["call", "test.echo", "@" + path, "--json"]).out == "{\"x\":\"y\"}\n")
    let missing = await run(["call", "test.echo", "@/nonexistent/file"])
    #expect(missing.status == .usage && missing.err.contains("/nonexistent/file cannot be read"))
  }

  @Test(arguments: [
    ["call"], ["call", "a", "{}", "{}"], ["call", "a", "[1]"], ["call", "a", "{"], ["call", "a", "1"], [], ["nonsense"],
    ["key"], ["methods", "x", "y"], ["call", "a", "--scope", "x"], ["call", "a", "--timeout", "x"],
    ["call", "a", "--endpoint", "http://127.0.0.1"], ["call", "a", "--as", "root"],
    ["call", "a", "--as", "demo", "--token", "t"], ["key", "create", "--name", "n", "--owner", "o"],
    ["key", "create", "--name", "n", "--owner", "o", "--scope", "nonsense"],
    ["key", "create", "--name", "n", "--owner", "o", "--scope", "check", "--role", "admin"],
    ["key", "create", "--owner", "o", "--scope", "check"], ["session", "start"],
    ["session", "start", "--account", "a", "--authenticated-at", "yesterday"], ["audit", "export", "--format", "xml"],
  ])
  func `a command line that cannot be understood sends nothing`(_ line: [String]) async {
    let server = Server()
    let run = await run(line, server)
    #expect(run.status == .usage)
    #expect(run.err.hasPrefix("assentctl: ") && run.out.isEmpty)
    #expect(server.requests.withLock { $0.isEmpty })
    let forPrograms = await self.run(line + ["--json"], server)
    #expect(forPrograms.status == .usage && forPrograms.err.hasPrefix(#"{"error":{"message":"#))
  }

  @Test(arguments: [["--help"], ["help"], ["key", "--help"]] + Commands.all.map { $0.words + ["--help"] })
  func `help is there for everything, without a server`(_ line: [String]) async {
    let run = await run(line, Server(isConnected: false))
    #expect(run.status == .done)
    #expect(run.out.contains("Usage: assentctl") && run.out.contains("--endpoint"))
  }

  @Test
  func `an error says message, code, reason, field and request`() async {
    let run = await run(["call", "test.echo", #"{"fail":1}"#])
    #expect(run.status == .refused)
    #expect(run.err.hasPrefix("assentctl: test.echo: quietHours.from.hour: 27 is not in 0...23\n"))
    for part in ["-32602 INVALID_PARAMS", "invalidParams", "quietHours.from.hour", "Pick an hour.", "requestId"] {
      #expect(run.err.contains(part))
    }
    #expect(run.out.isEmpty)
  }

  @Test
  func `with --json an error is JSON too`() async throws {
    let run = await run(["call", "test.echo", #"{"fail":1}"#, "--json"])
    let error = try JSON.decode(JSONValue.self, from: run.err)
    #expect(error["error"]?["data"]?["field"] == "quietHours.from.hour")
    #expect(error["error"]?["data"]?["extra"] == 1)
  }

  @Test
  func `a gateway that is away has a status of its own`() async {
    let run = await run(["health"], Server(isConnected: false))
    #expect(run.status == .unavailable)
    #expect(run.err.contains("nothing answers at tcp://127.0.0.1:5570"))
  }

  @Test
  func `the endpoint comes from the option, then the environment`() async {
    let server = Server(isConnected: false)
    let environment = ["ASSENT_ENDPOINT": "ipc:///run/a", "ASSENT_ZMQ_PORT": "6000"]
    #expect(await run(["health"], server, environment: environment).err.contains("ipc:///run/a"))
    #expect(
      await run(["health", "--endpoint", "tcp://localhost:7"], server, environment: environment).err
        .contains("tcp://127.0.0.1:7"))
    #expect(await run(["health"], server, environment: ["ASSENT_ZMQ_PORT": "6000"]).err.contains("127.0.0.1:6000"))
    #expect(await run(["health"], server, environment: ["ASSENT_ZMQ_PORT": "x"]).status == .usage)
  }

  struct Source: Sendable {
    var line: [String]
    var token: String?
    var sent: String?
  }

  @Test(arguments: [
    Source(line: [], token: nil, sent: "Bearer admin-1"),
    Source(line: ["--as", "demo"], token: nil, sent: "Bearer demo-1"),
    Source(line: [], token: "env-1", sent: "Bearer env-1"),
    Source(line: ["--as", "admin"], token: "env-1", sent: "Bearer admin-1"),
    Source(line: ["--token", "arg-1"], token: "env-1", sent: "Bearer arg-1"),
  ])
  func `the credential comes from the nearest source`(_ source: Source) async throws {
    let server = Server()
    var environment = ["ASSENT_DATA_DIR": try folder()]
    environment["ASSENT_TOKEN"] = source.token
    let run = await run(["call", "test.echo"] + source.line, server, environment: environment)
    #expect(run.status == .done && run.err.isEmpty)
    #expect(server.requests.withLock { $0[0].authorization } == source.sent)
  }

  @Test
  func `without a credentials file a call goes without a credential`() async {
    let server = Server()
    #expect(await run(["call", "test.echo"], server).status == .done)
    #expect(server.requests.withLock { $0[0].authorization } == nil)
  }

  @Test
  func `a credentials file that others can read is used with a warning`() async throws {
    let run = await run(["call", "test.echo"], environment: ["ASSENT_DATA_DIR": try folder(mode: 0o644)])
    #expect(run.status == .done)
    #expect(run.err.contains("warning") && run.err.contains("chmod 600") && !run.err.contains("admin-1"))
  }

  @Test(arguments: ["not JSON secret-1", #"{"demoToken":"secret-1"}"#, "[]", #"{"adminKey":"secret-1 \n x"}"#])
  func `a credentials file that cannot be used is said, without what it holds`(_ text: String) async throws {
    let run = await run(["call", "test.echo", "--as", "admin"], environment: ["ASSENT_DATA_DIR": try folder(text)])
    #expect(run.status == .credentials)
    #expect(run.err.contains("credentials.json") && !run.err.contains("secret-1"))
  }

  @Test
  func `a token that no header can hold is not sent or shown`() async {
    let server = Server()
    let run = await run(["call", "test.echo", "--token", "secret\n1"], server)
    #expect(run.status == .credentials && !run.err.contains("secret"))
    #expect(server.requests.withLock { $0.isEmpty })
  }

  @Test
  func `methods are listed with their summaries, by prefix`() async {
    let all = await run(["methods"])
    #expect(all.status == .done && all.out.contains("test.echo") && all.out.contains("Echoes test.echo"))
    let some = await run(["methods", "audit."])
    #expect(some.out.contains("audit.export") && !some.out.contains("test.echo"))
    #expect(await run(["methods", "nonsense."]).status == .refused)
    #expect(await run(["methods", "--json"]).out.contains("\"openrpc\""))
  }

  @Test
  func `health is a table, its status an exit status`() async {
    let run = await run(["health"])
    #expect(run.status == .done && run.out.contains("SERVING"))
  }

  @Test(
    arguments: [
      ([], .refused), (["--json"], .refused), (["gateway"], .done), (["gateway", "--json"], .done),
      (["gateway", "account-service"], .done), (["consent-service"], .refused),
      (["gateway", "consent-service"], .refused),
      (["nobody"], .refused),
    ] as [([String], ProgramStatus)])
  func `a service that is not serving shows in the exit status, unless others are named`(
    _ words: [String], _ status: ProgramStatus
  ) async {
    let server = Server(
      services: ["gateway": .serving, "account-service": .serving, "consent-service": .notServing])
    let run = await run(["health"] + words, server)
    #expect(run.status == status)
    #expect(run.out.contains("NOT_SERVING"), "what there is to know is said in any case")
    #expect(run.err == (words == ["nobody"] ? "assentctl: nobody is not known here\n" : ""))
  }

  @Test
  func `a key is made with its scopes and printed`() async {
    let server = Server()
    let run = await run(
      ["key", "create", "--name", "n", "--owner", "o", "--scope", "check", "--scope", "audit"], server)
    #expect(run.status == .done && run.out.contains(#""key": "secret""#))
    #expect(
      server.requests.withLock { $0[0].params } == ["name": "n", "owner": "o", "scopes": ["check", "audit"]])
  }

  @Test
  func `a session's token can be printed alone`() async {
    #expect(await run(["session", "start", "--account", "maya", "--token-only"]).out == "the-token\n")
    #expect(await run(["session", "start", "--account", "maya"]).out.contains(#""sessionId": "s1""#))
  }

  @Test
  func `an export's pages become one document, in a file for its owner only`() async throws {
    let path = try folder() + "/export.json"
    let run = await run(["audit", "export", "--account", "maya", "--output", path])
    #expect(run.status == .done && run.out.isEmpty)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(try JSON.decode(JSONValue.self, from: text) == [["page": 1], ["page": 2]])
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    let again = await self.run(["audit", "export", "--output", path])
    #expect(again.status == .usage && again.err.contains("File exists"))
  }
}
