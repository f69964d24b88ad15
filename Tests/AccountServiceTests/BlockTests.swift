// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import AccountService
import Events
import JSONRPC
import RPC
import SettingsContracts
import Testing

@Suite("account.block, unblock, blocked")
struct BlockTests {
  @Test("Who is blocked comes newest first with the count of all")
  func list() async throws {
    let service = try await RunningAccountService()
    let (maya, _) = try await service.person("maya")
    for id in ["a", "b", "c"] {
      service.clock.advance(milliseconds: 1000)
      let answer = try await service.call(AccountMethods.block, AccountBlockParams(blockedId: id), as: maya)
      #expect(answer.items.first?.blockedId == id)
      #expect(answer.items.first?.blockedAt == service.clock.now())
      #expect(answer.entryId != nil)
    }
    let first = try await service.call(AccountMethods.blocked, AccountBlockedParams(limit: 2), as: maya)
    #expect(first.items.map(\.blockedId) == ["c", "b"])
    #expect(first.count == 3)
    let second = try await service.call(
      AccountMethods.blocked, AccountBlockedParams(limit: 2, cursor: first.nextCursor), as: maya)
    #expect(second.items.map(\.blockedId) == ["a"])
    #expect(second.nextCursor == nil)
    let after = try await service.call(AccountMethods.unblock, AccountBlockParams(blockedId: "b"), as: maya)
    #expect(after.items.map(\.blockedId) == ["c", "a"])
    #expect(after.count == 2)
  }

  @Test("Pages do not lose or repeat what was blocked in one millisecond")
  func pages() async throws {
    let service = try await RunningAccountService()
    let (maya, _) = try await service.person("maya")
    for number in 0..<55 {
      let answer = try await service.call(AccountMethods.block, AccountBlockParams(blockedId: "b\(number)"), as: maya)
      #expect(answer.items.count == min(number + 1, 50))
      #expect((answer.nextCursor != nil) == (number >= 50))
    }
    var seen: [String] = []
    var cursor: String?
    repeat {
      let page = try await service.call(
        AccountMethods.blocked, AccountBlockedParams(limit: 7, cursor: cursor), as: maya)
      seen += page.items.map(\.blockedId)
      cursor = page.nextCursor
    } while cursor != nil
    #expect(seen.count == 55)
    #expect(Set(seen).count == 55)
  }

  @Test("What no page gave as its cursor is refused", arguments: ["", "x", "!", "é"])
  func foreign(cursor: String) async throws {
    let service = try await RunningAccountService()
    let (maya, _) = try await service.person("maya")
    let refusals = [
      await service.refusal(AccountMethods.blocked, AccountBlockedParams(cursor: cursor), as: maya),
      await service.refusal(SessionMethods.list, SessionListParams(cursor: cursor), as: maya),
      await service.refusal(KeyMethods.list, KeyListParams(cursor: cursor)),
    ]
    #expect(refusals.allSatisfy { $0?.code == .invalidParams && $0?.field == "cursor" })
  }

  @Test("Blocking twice and unblocking nobody change nothing")
  func unchanged() async throws {
    let service = try await RunningAccountService()
    let (maya, _) = try await service.person("maya")
    let first = try await service.call(AccountMethods.block, AccountBlockParams(blockedId: "theo"), as: maya)
    let again = try await service.call(AccountMethods.block, AccountBlockParams(blockedId: "theo"), as: maya)
    #expect(again.revision == first.revision && again.entryId == nil && again.count == 1)
    let nobody = try await service.call(AccountMethods.unblock, AccountBlockParams(blockedId: "zoe"), as: maya)
    #expect(nobody.revision == first.revision && nobody.entryId == nil && nobody.count == 1)
    #expect(try await service.events(of: .account("default", "maya")).map(\.kind).last == "account.blocked")
  }

  @Test(
    "What is no other account is refused", arguments: ["maya", "", "a b", "theo@example.com", "a\u{0}"])
  func bad(id: String) async throws {
    let service = try await RunningAccountService()
    let (maya, _) = try await service.person("maya")
    let error = await service.refusal(AccountMethods.block, AccountBlockParams(blockedId: id), as: maya)
    #expect(error?.code == .invalidParams)
  }

  @Test("A page of another size or another's cursor is refused", arguments: [0, -1, 201])
  func badPage(limit: Int) async throws {
    let service = try await RunningAccountService()
    let (maya, _) = try await service.person("maya")
    let error = await service.refusal(AccountMethods.blocked, AccountBlockedParams(limit: limit), as: maya)
    #expect(error?.field == "limit")
    for cursor in ["x", "AAAA", "", "ey4"] {
      let error = await service.refusal(AccountMethods.blocked, AccountBlockedParams(cursor: cursor), as: maya)
      #expect(error?.field == "cursor")
    }
  }
}
