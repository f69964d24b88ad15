// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import SettingsContracts
import Testing
import Threading

@testable import ConsentService

@Suite("Freshness")
struct FreshnessTests {
  @Test("a check that begins after a withdrawal was acknowledged never says allowed, on any replica")
  func withdrawn() async throws {
    let service = try await RunningConsent()
    let replicas = [try await service.replica(), try await service.replica()]
    let people = (0..<3).map { Principal(kind: .user, accountId: "p\($0)", deviceId: "d\($0)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for person in people {
        // Odd while a withdrawal is acknowledged and nothing was granted since.
        let phase = Lock(0)
        let isOver = Lock(false)
        group.addTask {
          for round in 0..<10 {
            let client = replicas[round % 2]
            _ = try await RunningConsent.call(
              client, ConsentMethods.grantAll, ConsentGrantAllParams(policyVersion: 1, context: .app), as: person)
            let own = ConsentCheckParams(category: "analytics")
            let granted = try await RunningConsent.call(replicas[1 - round % 2], ConsentMethods.check, own, as: person)
            #expect(granted.allowed)
            _ = try await RunningConsent.call(client, ConsentMethods.withdraw, ConsentWithdrawParams(), as: person)
            phase.withLock { $0 += 1 }
            for replica in replicas {
              let result = try await RunningConsent.call(replica, ConsentMethods.check, own, as: person)
              #expect(!result.allowed)
            }
            phase.withLock { $0 += 1 }
          }
          isOver.withLock { $0 = true }
        }
        group.addTask {
          var round = 0
          while !isOver.withLock({ $0 }), !Task.isCancelled {
            round += 1
            let began = phase.withLock { $0 }
            let result = try await RunningConsent.call(
              replicas[round % 2], ConsentMethods.check,
              ConsentCheckParams(accountId: person.accountId, category: "analytics"), as: .tracker)
            let isWithdrawn = began % 2 == 1 && phase.withLock { $0 } == began
            #expect(!isWithdrawn || !result.allowed)
          }
        }
      }
      for try await _ in group {}
    }
  }

  @Test("a person's writes each take one revision, also when many come at once")
  func concurrentWrites() async throws {
    let service = try await RunningConsent()
    let revisions = try await withThrowingTaskGroup(of: Int64.self) { group in
      for index in 0..<40 {
        group.addTask { try await service.decide(["analytics": index.isMultiple(of: 2)]).revision }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(revisions.sorted() == Array(1...40))
    #expect(try await service.get().revision == 40)
    #expect(try await service.records().count == 40)
  }

  @Test("policies published while people decide: no decision is judged by an older version")
  func publishing() async throws {
    let service = try await RunningConsent()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for version in 2...15 {
          let catalog = try await service.call(
            ConsentMethods.publishPolicy, PolicyServiceTests.policy(version), as: .admin)
          #expect(catalog.policyVersion == version)
          #expect(try await service.get().policyVersion >= version)
        }
      }
      for index in 0..<4 {
        group.addTask {
          let person = Principal(kind: .user, accountId: "p\(index)", deviceId: "d\(index)")
          for _ in 0..<15 {
            let seen = try await service.get(as: person).policyVersion
            let state = try await service.decide(["analytics": true], version: seen, as: person)
            #expect(state["analytics"].allowed == (state.policyVersion == seen))
          }
        }
      }
      for try await _ in group {}
    }
  }
}
