// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import JSONRPC
import RPC
import SettingsContracts
import Testing

@testable import ConsentService

@Suite("Policies of consent-service")
struct PolicyServiceTests {
  static let categories = PolicyVersion.builtIn.policy.categories
  static let notices = PolicyVersion.builtIn.policy.notices

  static func policy(
    _ version: Int, material: Bool = true, _ categories: [ConsentPolicy.Category] = categories
  ) -> ConsentPolicy {
    ConsentPolicy(version: version, material: material, categories: categories, notices: notices)
  }

  @Test("the catalog is everybody's, in their language")
  func catalog() async throws {
    let service = try await RunningConsent()
    let catalog = try await service.call(
      ConsentMethods.catalog, ConsentCatalogParams(locale: "de"), as: .anonymous)
    #expect(catalog.policyVersion == 1 && catalog.locales == ["en", "de"])
    #expect(catalog.categories.map(\.displayName).first == "Notwendig")
    #expect(catalog.regulations.map(\.id) == ["gdpr", "ukGdpr", "ccpa", "dpdp", "generic"])
    #expect(catalog.regulations[2].mechanism == .optOut)
    let error = await service.refusal(ConsentMethods.catalog, ConsentCatalogParams(locale: "x"), as: .anonymous)
    #expect(error?.field == "locale")
  }

  @Test("a published version is live at once, on every replica, and never changes")
  func publish() async throws {
    let service = try await RunningConsent()
    let replica = try await service.replica()
    _ = try await service.decide(["analytics": true])
    let before = try await RunningConsent.call(replica, ConsentMethods.get, ConsentGetParams())
    #expect(before["analytics"].allowed)
    let published = try await service.call(
      ConsentMethods.publishPolicy, Self.policy(2, Self.categories + [category("surveys")]), as: .admin)
    #expect(published.policyVersion == 2 && published.publishedAt == noon && published.entryId != nil)
    for client in [replica, try await service.replica()] {
      let state = try await RunningConsent.call(client, ConsentMethods.get, ConsentGetParams())
      #expect(state.policyVersion == 2 && state.promptReason == .policyChanged)
      #expect(state["analytics"].reason == .policyChanged && state["surveys"].reason == .undecided)
      let checked = try await RunningConsent.call(
        client, ConsentMethods.check, ConsentCheckParams(category: "analytics"))
      #expect(checked.reason == .policyChanged)
      #expect(try await RunningConsent.call(client, ConsentMethods.catalog, .init()).policyVersion == 2)
    }
    let same = try await service.call(
      ConsentMethods.publishPolicy, Self.policy(2, Self.categories + [category("surveys")]), as: .admin)
    #expect(same.entryId == nil && same.revision == published.revision)
    let other = await service.refusal(ConsentMethods.publishPolicy, Self.policy(2), as: .admin)
    #expect(other?.code == .alreadyExists)
    #expect(await service.refusal(ConsentMethods.publishPolicy, Self.policy(1), as: .admin)?.code == .alreadyExists)
    _ = try await service.call(ConsentMethods.publishPolicy, Self.policy(9), as: .admin)
    let older = await service.refusal(ConsentMethods.publishPolicy, Self.policy(5), as: .admin)
    #expect(older?.reason == "versionNotNewer")
  }

  @Test("what an earlier version asked about and the live one does not is not applicable")
  func dropped() async throws {
    let service = try await RunningConsent()
    _ = try await service.decide(["functional": true])
    let fewer = Self.categories.filter { $0.id != "functional" }
    _ = try await service.call(ConsentMethods.publishPolicy, Self.policy(2, material: false, fewer), as: .admin)
    #expect(try await service.check("functional") == ConsentCheckResult(allowed: false, reason: .notApplicable))
    // Offline evidence of the earlier version is still taken.
    let state = try await service.decide(["functional": true, "analytics": true], version: 1)
    #expect(state["analytics"].reason == .policyChanged && state.needsConsent)
    let unknown = await #expect(throws: RPCError.self) {
      try await service.decide(["functional": true], version: 2)
    }
    #expect(unknown?.field == "decisions.functional")
  }

  @Test("saving at the live version ends the prompt; a notice's hash proves what was read")
  func noBannerLoop() async throws {
    let service = try await RunningConsent()
    _ = try await service.call(ConsentMethods.grantAll, ConsentGrantAllParams(policyVersion: 1, context: .app))
    _ = try await service.call(ConsentMethods.publishPolicy, Self.policy(2), as: .admin)
    #expect(try await service.get().promptReason == .policyChanged)
    let saved = try await service.call(
      ConsentMethods.grantAll, ConsentGrantAllParams(policyVersion: 2, context: .app))
    #expect(saved.promptReason == .none && !saved.needsConsent)
    let record = try #require(try await service.records().last)
    #expect(record.facts["noticeHash"] == .string(saved.notice.hash))
    #expect(record.facts["policyVersion"] == 2)
  }

  @Test("a person cannot publish")
  func access() async throws {
    let service = try await RunningConsent()
    for principal in [Principal.maya, .phone, .agent, .anonymous] {
      let error = await service.refusal(ConsentMethods.publishPolicy, Self.policy(2), as: principal)
      #expect(error?.code == .permissionDenied || error?.code == .unauthenticated)
    }
  }

  struct Bad: Sendable, CustomStringConvertible {
    var field: String
    var change: @Sendable (inout ConsentPolicy) -> Void
    var description: String { field }
  }
  static let bad: [Bad] = [
    Bad(field: "version") { $0.version = 0 },
    Bad(field: "maxAgeDays") { $0.maxAgeDays = 0 },
    Bad(field: "reAskDays") { $0.reAskDays = 100_000 },
    Bad(field: "categories") { $0.categories = [] },
    Bad(field: "categories[1].id") { $0.categories[1].id = "essential" },
    Bad(field: "categories[2].id") { $0.categories[2].id = "Märketing" },
    Bad(field: "categories[0].uses") { $0.categories[0].uses = [.sale] },
    Bad(field: "categories[1].uses") { $0.categories[1].uses = [.sale, .sale] },
    Bad(field: "categories[1].legalBasis") { $0.categories[1].legalBasis = " " },
    Bad(field: "categories[1].recipients[0]") { $0.categories[1].recipients = [""] },
    Bad(field: "categories[1].retention") { $0.categories[1].retention = "" },
    Bad(field: "categories[1].regulations") { $0.categories[1].regulations = ["lgpd"] },
    Bad(field: "categories[0].regulations") { $0.categories[0].regulations = ["gdpr"] },
    Bad(field: "categories[1].texts") { $0.categories[1].texts = [] },
    Bad(field: "categories[1].texts[1].locale") { $0.categories[1].texts[1].locale = "EN" },
    Bad(field: "categories[1].texts[0].displayName") { $0.categories[1].texts[0].displayName = "" },
    Bad(field: "notices") { $0.notices = [] },
    Bad(field: "notices[0].locale") { $0.notices[0].locale = "english language" },
    Bad(field: "notices[1].text") { $0.notices[1].text = "\u{7}" },
  ]

  @Test("a faulty version is refused, naming the member", arguments: bad)
  func validation(row: Bad) throws {
    var policy = Self.policy(2)
    row.change(&policy)
    let error = #expect(throws: RPCError.self) {
      try policy.validate(knownRegulations: RegulationTable.builtIn.all.map(\.id))
    }
    #expect(error?.field == row.field)
  }

  @Test("a notice may have paragraphs")
  func paragraphs() throws {
    var policy = Self.policy(2)
    policy.notices[0].text = "One.\n\nTwo."
    try policy.validate(knownRegulations: [])
  }
}
