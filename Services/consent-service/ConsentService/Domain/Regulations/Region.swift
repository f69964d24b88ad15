// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC

/// A country and, maybe, a part of it.
struct Region: Sendable, Hashable {
  /// ISO 3166-1 alpha-2.
  let country: String
  /// The part of an ISO 3166-2 code after the hyphen.
  let subdivision: String?

  /// `DE` or `US-CA`, as the regulation table writes them.
  init(code: String) {
    let parts = code.split(separator: "-", maxSplits: 1)
    country = parts.first.map(String.init) ?? ""
    subdivision = parts.count > 1 ? String(parts[1]) : nil
  }

  init(country: String, subdivision: String?) {
    self.country = country
    self.subdivision = subdivision
  }

  /// A region as a caller names it.
  /// - Parameter subdivision: `CA` or `US-CA`.
  /// - Throws: -32602 that names the member.
  init(naming country: String, subdivision: String?) throws(RPCError) {
    guard Region.countries.contains(country) else {
      let found = country.utf8.count == 2 && country.utf8.allSatisfy(Region.isLetter) ? "\(country) is not" : "not"
      throw .invalidParams("country", "\(found) a country of ISO 3166-1 alpha-2, such as DE, GB, IN or US")
    }
    self.country = country
    guard let subdivision else {
      self.subdivision = nil
      return
    }
    let prefix = country + "-"
    let part = subdivision.utf8.starts(with: prefix.utf8) ? String(subdivision.dropFirst(3)) : subdivision
    guard (1...3).contains(part.utf8.count),
      part.utf8.allSatisfy({ Region.isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else {
      throw .invalidParams("subdivision", "not a subdivision of ISO 3166-2, such as CA or US-CA")
    }
    self.subdivision = part
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

  /// ISO 3166-1 alpha-2, officially assigned.
  private static let countries = Set(
    """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ \
    CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR \
    GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO \
    JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR \
    MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO \
    RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV \
    TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
    """.split(separator: " ").map(String.init))
}
