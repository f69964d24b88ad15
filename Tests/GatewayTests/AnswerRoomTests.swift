// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import Testing

@testable import Gateway

@Suite struct AnswerRoomTests {
  private let room = AnswerRoom(limit: 1_000)
  private let one = Usage(Usage.Limits())
  private let other = Usage(Usage.Limits())

  @Test func `an address may hold as many bytes as are free, so others find some`() throws {
    let half = try #require(room.space(500, for: one))
    #expect(room.space(1, for: one) == nil)
    let quarter = try #require(room.space(250, for: other))
    #expect(room.space(1, for: other) == nil)
    #expect(room.space(125, for: Usage(Usage.Limits())) != nil)
    withExtendedLifetime((half, quarter)) {}
  }

  @Test func `what is taken is given back once nobody has it`() throws {
    var space = room.space(300, for: one)
    #expect(room.taken == 300 && one.answerBytes == 300)
    #expect(space?.grow(by: 200) == true && room.taken == 500)
    #expect(space?.grow(by: 1) == false && room.taken == 500)
    space?.shrink(to: 600)
    #expect(room.taken == 500)
    space?.shrink(to: 100)
    #expect(room.taken == 100 && one.answerBytes == 100)
    space = nil
    #expect(room.taken == 0 && one.answerBytes == 0)
  }

  @Test func `one answer that is larger than all room is taken when there is no other`() {
    let large = room.space(5_000, for: one)
    #expect(large != nil)
    #expect(room.space(1, for: other) == nil)
    withExtendedLifetime(large) {}
  }

  @Test func `who finds no room has it made`() {
    var told = 0
    room.whenFull = { told += 1 }
    let space = room.space(500, for: one)
    #expect(told == 0 && room.space(1, for: one) == nil && told == 1)
    withExtendedLifetime(space) {}
  }

  @Test func `a refusal fits into what a batch takes for each member`() {
    var error = RPCProxy.noRoom(processed: .unknown)
    error.requestId = String(repeating: "x", count: 64)
    #expect(Response.error(nil, error).count <= AnswerRoom.perMember)
  }

  static let batches: [[Reply]] = [
    [], [Reply([])], [Reply(Array("1".utf8))], [Reply([]), Reply(Array("1".utf8)), Reply([]), Reply(Array("2".utf8))],
  ]
  @Test(arguments: batches) func `a batch is written as if nothing was shared`(_ replies: [Reply]) {
    #expect(Reply.batch(replies) == Response.batch(replies.map(\.whole).filter { !$0.isEmpty }))
  }

  @Test func `a shared result stands in its response as any other`() {
    let (id, result) = (RequestID(bytes: Array(#""a""#.utf8)), Array(#"{"b":1}"#.utf8))
    let reply = Reply(id, sharing: result)
    #expect(reply.whole == Response.result(id, result) && reply.count == reply.whole.count)
    #expect(Reply.batch([reply, reply]) == Response.batch([reply.whole, reply.whole]))
  }
}
