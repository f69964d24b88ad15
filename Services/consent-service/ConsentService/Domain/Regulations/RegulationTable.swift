// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// The regulations' facts, each with its source: a versioned file, so that a country can be corrected without code.
final class RegulationTable: Sendable {
  /// The file's version.
  let version: String
  let all: [Regulation]
  /// What Global Privacy Control speaks about.
  let gpcUses: UseSet
  /// What `consent.optOut` speaks about.
  let optOutUses: UseSet
  private let byId: [String: Regulation]
  private let byRegion: [Region: Regulation]
  private let gpcRegions: Set<Region>
  private let fallback: Regulation

  /// The table as built in.
  static let builtIn = try! RegulationTable(json: PackageResources.regulations_json)

  /// - Parameter json: a file of the shape of `regulations.json`.
  /// - Throws: `JSONDecodingError`, or -32602 when the file contradicts itself.
  init(json: [UInt8]) throws {
    let file = try JSON.decode(File.self, from: json)
    version = file.version
    all = file.regulations.map(Regulation.init)
    gpcUses = UseSet(file.gpc.uses)
    optOutUses = UseSet(file.optOut.uses)
    gpcRegions = Set(file.gpc.honoredIn.map { Region(code: $0.region) })
    var byId: [String: Regulation] = [:]
    var byRegion: [Region: Regulation] = [:]
    for (entry, regulation) in zip(file.regulations, all) {
      guard byId.updateValue(regulation, forKey: entry.id) == nil else {
        throw RPCError.invalidParams("regulations", "\(entry.id) is there twice")
      }
      for region in entry.regions {
        guard byRegion.updateValue(regulation, forKey: Region(code: region)) == nil else {
          throw RPCError.invalidParams("regulations", "\(region) has two regulations")
        }
      }
    }
    self.byId = byId
    self.byRegion = byRegion
    guard let fallback = byId[RegulationTable.fallbackId] else {
      throw RPCError.invalidParams("regulations", "\(RegulationTable.fallbackId) is missing")
    }
    self.fallback = fallback
  }

  /// Of the regulation for everywhere else.
  static let fallbackId = "generic"

  subscript(id: String) -> Regulation? { byId[id] }

  /// Which regulation protects a person, and how it applies.
  ///
  /// The region decides; without one the app's default; without that the cautious fallback.
  func situation(of subject: SubjectFacts, appDefault: String?) -> Situation {
    guard let country = subject.country else {
      let regulation = appDefault.flatMap { byId[$0] } ?? fallback
      return Situation(
        regulation: regulation, country: nil, ageBand: subject.ageBand, honorsGPC: regulation.gpc != .never,
        gpcUses: gpcUses, optOutUses: optOutUses)
    }
    let region = Region(country: country, subdivision: subject.subdivision)
    let whole = Region(country: country, subdivision: nil)
    let regulation = byRegion[region] ?? byRegion[whole] ?? fallback
    let honorsGPC = regulation.gpc == .always || gpcRegions.contains(region) || gpcRegions.contains(whole)
    return Situation(
      regulation: regulation, country: country, ageBand: subject.ageBand, honorsGPC: honorsGPC, gpcUses: gpcUses,
      optOutUses: optOutUses)
  }

  /// The file's shape. Every fact stands beside its source.
  struct File: Decodable, Sendable {
    struct Entry: Decodable, Sendable {
      let id: String
      let displayName: String
      let mechanism: ConsentMechanism
      let source: String
      /// `DE` or `US-CA`.
      let regions: [String]
      let gpc: Regulation.GPCRule
      let refreshDays: Int?
      let refreshSource: String?
      let ownConsentAges: [Age]
      let optInBelow: Age?
      let barredBelow: Bar?
      let confirmOptIn: Uses?
    }
    struct Age: Decodable, Sendable {
      /// The country it is of; left out for the default.
      let region: String?
      let age: Int
      let from: Timestamp?
      /// Sources differ, or the text itself was not read.
      let uncertain: Bool?
      let source: String
    }
    struct Bar: Decodable, Sendable {
      let age: Int
      let uses: [ConsentUse]
      let source: String
    }
    struct Uses: Decodable, Sendable {
      let uses: [ConsentUse]
      let source: String
    }
    struct GPC: Decodable, Sendable {
      let uses: [ConsentUse]
      let source: String
      let honoredIn: [Place]
    }
    struct Place: Decodable, Sendable {
      let region: String
      let source: String
    }
    let version: String
    let gpc: GPC
    let optOut: Uses
    let regulations: [Entry]
  }
}
