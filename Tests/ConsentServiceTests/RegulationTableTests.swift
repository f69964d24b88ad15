// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import ConsentService

@Suite("Regulation table")
struct RegulationTableTests {
  @Test("the built-in ones are those that other services know by name")
  func names() { #expect(RegulationTable.builtIn.all.map(\.id) == RegulationNames.builtIn) }

  let table = RegulationTable.builtIn

  @Test(
    "the region decides the regulation",
    arguments: [
      ("DE", nil, "gdpr"), ("NO", nil, "gdpr"), ("GB", nil, "ukGdpr"), ("GB", "SCT", "ukGdpr"), ("US", "CA", "ccpa"),
      ("US", nil, "generic"), ("US", "TX", "generic"), ("IN", "KA", "dpdp"), ("BR", nil, "generic"),
    ] as [(String, String?, String)])
  func region(country: String, subdivision: String?, regulation: String) throws {
    let region = try Region(naming: country, subdivision: subdivision)
    let facts = SubjectFacts(country: region.country, subdivision: region.subdivision)
    // A region beats the app's default.
    #expect(table.situation(of: facts, appDefault: "ccpa").regulation.id == regulation)
  }

  @Test("without a region the app's default holds, else opt-in")
  func fallback() {
    #expect(table.situation(of: SubjectFacts(), appDefault: "ccpa").regulation.id == "ccpa")
    #expect(table.situation(of: SubjectFacts(), appDefault: "ccpa").honorsGPC)
    #expect(!table.situation(of: SubjectFacts(), appDefault: "gdpr").honorsGPC)
    #expect(table.situation(of: SubjectFacts(), appDefault: "no such law").regulation.id == "generic")
    #expect(table.situation(of: SubjectFacts(), appDefault: nil).needsOptIn)
  }

  @Test(
    "the digital age of consent is dated and by country",
    arguments: [
      ("AT", 14), ("BE", 13), ("CZ", 15), ("DE", 16), ("DK", 15), ("ES", 14), ("FI", 13), ("FR", 15), ("HU", 16),
      ("IE", 16), ("IT", 14), ("NL", 16), ("SE", 13), ("SK", 16), ("PT", 16),
    ])
  func ownConsent(country: String, age: Int) {
    #expect(table["gdpr"]!.ownConsentAge(country: country, at: noon) == age)
  }

  @Test("Denmark's age was 13 until the end of 2023")
  func dated() {
    let before = Timestamp("2023-12-31T23:59:59.999Z")!
    #expect(table["gdpr"]!.ownConsentAge(country: "DK", at: before) == 13)
    #expect(table["gdpr"]!.ownConsentAge(country: "DK", at: before + 1) == 15)
  }

  @Test(
    "a region is named by its codes",
    arguments: [
      ("de", nil, "country: not a country"), ("UK", nil, "country: UK is not a country"),
      ("DEU", nil, "country: not a country"), ("", nil, "country: not"), ("US", "California", "subdivision: not"),
      ("US", "us-ca", "subdivision: not"), ("US", "", "subdivision: not"), ("DE", "US-CA", "subdivision: not"),
    ] as [(String, String?, String)])
  func refused(country: String, subdivision: String?, message: String) {
    let error = #expect(throws: RPCError.self) { try Region(naming: country, subdivision: subdivision) }
    #expect(error?.message.hasPrefix(message) == true)
  }

  @Test("both spellings of a subdivision are the same")
  func spellings() throws {
    #expect(try Region(naming: "US", subdivision: "US-CA") == Region(naming: "US", subdivision: "CA"))
  }

  @Test("a file that contradicts itself is refused")
  func contradictions() throws {
    let text = String(decoding: PackageResources.regulations_json, as: UTF8.self)
    for (original, replacement) in [
      (#""regions": ["GB"]"#, #""regions": ["DE"]"#), (#""id": "dpdp""#, #""id": "gdpr""#),
      (#""id": "generic""#, #""id": "other""#), (#""mechanism": "optOut""#, #""mechanism": "none""#),
    ] {
      #expect(text.contains(original))
      #expect(throws: (any Error).self) {
        try RegulationTable(json: Array(text.replacing(original, with: replacement).utf8))
      }
    }
  }

  @Test("every fact names its source")
  func sources() throws {
    let file = try JSON.decode(RegulationTable.File.self, from: PackageResources.regulations_json)
    for entry in file.regulations {
      #expect(!entry.source.isEmpty)
      #expect((entry.refreshDays == nil) == (entry.refreshSource == nil))
      #expect(entry.ownConsentAges.allSatisfy { !$0.source.isEmpty })
    }
  }
}
