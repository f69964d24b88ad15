// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Where a person is and how old: what decides the regulation.
public struct ConsentSetSubjectParams: Codable, Sendable, Hashable {
  public var accountId: String?
  public var deviceId: String?
  /// ISO 3166-1 alpha-2, such as `DE`.
  public var country: String
  /// ISO 3166-2, with or without the country: `CA` or `US-CA`.
  public var subdivision: String?
  /// A person may set it once, or to a younger one.
  public var ageBand: ConsentAgeBand?

  public init(
    accountId: String? = nil, deviceId: String? = nil, country: String, subdivision: String? = nil,
    ageBand: ConsentAgeBand? = nil
  ) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.country = country
    self.subdivision = subdivision
    self.ageBand = ageBand
  }
}

/// As much of an age as the rules need.
public enum ConsentAgeBand: String, WireWord {
  case under13
  case age13 = "13"
  case age14 = "14"
  case age15 = "15"
  case age16to17 = "16to17"
  case adult
  case unknown
}
