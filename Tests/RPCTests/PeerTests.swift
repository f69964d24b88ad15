// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import Testing

/// Whose call it is, by where it came in and whom it names.
@Suite struct PeerTests {
  private static let person = Principal(kind: .user, app: "shop", accountId: "maya")
  private static let audit = Principal(kind: .service, app: "shop", name: "audit-service")

  private func caller(_ peer: Peer, claiming claimed: Principal?) async throws -> Principal {
    try await TestServer(peer: peer).call(TestMethods.whoami, Empty(), CallMetadata(principal: claimed))
  }

  @Test(arguments: [Peer.gateway, .local], [person, audit, Principal(kind: .key, name: "k", role: "admin")])
  func `the gateway and programs behind the same folder are believed`(_ peer: Peer, _ claimed: Principal) async throws {
    #expect(try await caller(peer, claiming: claimed) == claimed)
    #expect(try await caller(peer, claiming: nil).kind == .anonymous)
  }

  @Test func `a service acts as itself, in the app it names`() async throws {
    let peer = Peer.service("audit-service")
    #expect(try await caller(peer, claiming: PeerTests.audit) == PeerTests.audit)
    #expect(try await caller(peer, claiming: nil) == Principal(kind: .service, name: "audit-service"))
  }

  @Test func `an operator acts as a key with that role`() async throws {
    #expect(try await caller(.operator, claiming: nil) == Principal(kind: .key, name: "operator", role: "operator"))
  }

  @Test(arguments: [
    (Peer.service("audit-service"), person), (.service("consent-service"), audit),
    (.service("audit-service"), Principal(kind: .service, name: "gateway")),
    (.service("audit-service"), Principal(kind: .key, name: "audit-service", role: "admin")),
    (.service("audit-service"), Principal(kind: .service, accountId: "maya", name: "audit-service")),
    (.operator, person), (.operator, Principal(kind: .key, name: "operator", role: "admin")),
    (.client("phone"), person), (.unknown, person), (.unknown, audit), (.unknown, .anonymous),
  ])
  func `nobody else is taken for whom they name`(_ peer: Peer, _ claimed: Principal) async throws {
    let error = await #expect(throws: RPCError.self) { _ = try await caller(peer, claiming: claimed) }
    #expect(error?.code == .permissionDenied && error?.reason == "principalRefused")
  }

  @Test(arguments: [
    (Peer.service("audit-service"), "test.personal"), (.service("audit-service"), "test.scoped"),
    (.operator, "test.personal"), (.operator, "test.scoped"),
  ])
  func `a peer may call what its role may, whatever was let in`(_ peer: Peer, _ method: String) async throws {
    let error = await #expect(throws: RPCError.self) {
      _ = try await TestServer(peer: peer).call(Method<Empty, Empty>(method, "", .anyone), Empty())
    }
    #expect(error?.code == .permissionDenied && error?.reason == "permissionDenied")
  }

  @Test func `an operator may look at a program's health, contract and figures`() async throws {
    let server = TestServer(peer: .operator)
    #expect(try await !server.call(RuntimeMethods.stats, Empty()).methods.isEmpty)
    _ = try await server.call(RuntimeMethods.health, Empty())
    _ = try await server.call(RuntimeMethods.discover, Empty())
    await #expect(throws: RPCError.self) {
      _ = try await TestServer(peer: .unknown).call(RuntimeMethods.stats, Empty())
    }
  }
}
