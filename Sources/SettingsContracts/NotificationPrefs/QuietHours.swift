// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A wall-clock time.
public struct TimeOfDay: Codable, Sendable, Hashable, CustomStringConvertible {
  /// 0...23
  public var hour: Int
  /// 0...59
  public var minute: Int
  public init(hour: Int, minute: Int) {
    self.hour = hour
    self.minute = minute
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    hour = try members.decode(Int.self, forKey: .hour)
    minute = try members.decode(Int.self, forKey: .minute)
    guard 0...23 ~= hour else {
      throw DecodingError.dataCorruptedError(
        forKey: .hour, in: members, debugDescription: "\(hour) is not in 0...23")
    }
    guard 0...59 ~= minute else {
      throw DecodingError.dataCorruptedError(
        forKey: .minute, in: members, debugDescription: "\(minute) is not in 0...59")
    }
  }

  public var minutesOfDay: Int { hour * 60 + minute }
  /// `07:00`
  public var description: String { "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)" }
}

/// When nothing that can wait is delivered: wall time in a zone, from `from` up to but not including `to`. `from` after
/// `to` runs over midnight; equal means never.
public struct QuietHours: Codable, Sendable, Hashable {
  public var isOn: Bool
  public var from: TimeOfDay
  public var to: TimeOfDay
  /// An IANA name. When saved without it, or with the account's zone, it follows the account's zone.
  public var timeZone: String?
  public init(isOn: Bool, from: TimeOfDay, to: TimeOfDay, timeZone: String? = nil) {
    self.isOn = isOn
    self.from = from
    self.to = to
    self.timeZone = timeZone
  }
}

/// Quiet hours in an update: what is left out stays.
public struct QuietHoursChange: Codable, Sendable {
  public var isOn: Bool?
  public var from: TimeOfDay?
  public var to: TimeOfDay?
  public var timeZone: String?
  public init(isOn: Bool? = nil, from: TimeOfDay? = nil, to: TimeOfDay? = nil, timeZone: String? = nil) {
    self.isOn = isOn
    self.from = from
    self.to = to
    self.timeZone = timeZone
  }
}
