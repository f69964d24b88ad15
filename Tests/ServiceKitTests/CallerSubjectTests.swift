// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import JSONRPC
import RPC
import ServiceKit
import Testing

@Suite struct CallerSubjectTests {
  static let person = Principal(kind: .user, app: "shop", accountId: "maya", deviceId: "phone")
  static let device = Principal(kind: .device, app: "shop", deviceId: "phone")
  static let key = Principal(kind: .key, app: "shop", name: "sender", scopes: ["check"])

  enum Outcome: Equatable, Sendable { case success(Subject), failure(ErrorCode) }
  struct Case: Sendable, CustomTestStringConvertible {
    var caller: Principal
    var account: String?
    var device: String?
    var outcome: Outcome
    var testDescription: String { "\(caller.kind) names \(account ?? "-") and \(device ?? "-")" }
  }
  static let cases: [Case] = [
    Case(caller: person, outcome: .success(.account("shop", "maya"))),
    Case(caller: person, account: "maya", device: "phone", outcome: .success(.account("shop", "maya"))),
    Case(caller: person, account: "noah", outcome: .failure(.permissionDenied)),
    Case(caller: person, device: "tablet", outcome: .failure(.permissionDenied)),
    Case(caller: device, outcome: .success(.device("shop", "phone"))),
    Case(caller: device, device: "phone", outcome: .success(.device("shop", "phone"))),
    Case(caller: device, device: "tablet", outcome: .failure(.permissionDenied)),
    Case(caller: device, account: "maya", outcome: .failure(.permissionDenied)),
    Case(caller: key, account: "maya", outcome: .success(.account("shop", "maya"))),
    Case(caller: key, device: "phone", outcome: .success(.device("shop", "phone"))),
    Case(caller: key, account: "maya", device: "phone", outcome: .success(.account("shop", "maya"))),
    Case(caller: key, outcome: .failure(.invalidParams)),
    Case(caller: key, account: "", outcome: .failure(.invalidParams)),
    Case(caller: key, account: "maya@example.com", outcome: .failure(.invalidParams)),
    Case(caller: key, account: String(repeating: "a", count: 129), outcome: .failure(.invalidParams)),
    Case(caller: key, device: "a b", outcome: .failure(.invalidParams)),
    Case(caller: .anonymous, account: "maya", outcome: .failure(.permissionDenied)),
    Case(caller: Principal(kind: .user, app: "shop"), outcome: .failure(.unauthenticated)),
  ]

  @Test(arguments: cases) func theSubjectComesFromTheTokenOrIsNamedByAKey(_ example: Case) {
    let context = CallContext(caller: example.caller)
    let outcome: Outcome
    do throws(RPCError) {
      outcome = .success(try context.subject(accountId: example.account, deviceId: example.device))
    } catch {
      outcome = .failure(error.code)
    }
    #expect(outcome == example.outcome)
  }

  @Test func aRefusalDoesNotRepeatTheIdThatWasNamed() {
    let error = #expect(throws: RPCError.self) {
      try CallContext(caller: Self.key).accountId("maya@example.com")
    }
    #expect(error?.field == "accountId" && error?.message.contains("maya") == false)
  }
}

extension CallContext {
  init(caller: Principal) {
    self.init(principal: caller, requestId: "r", deadline: .after(milliseconds: 1000))
  }
}
