// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// What one device signalled, and when.
struct DeviceSignals: Codable, Sendable, Hashable {
  var device: String
  var gpc: Bool?
  var gpcAt: Int64?
  var att: ConsentATT?
  var attAt: Int64?

  /// The newer of each signal; of two of the same moment, the other's.
  mutating func merge(_ other: DeviceSignals) {
    if let at = other.gpcAt, at >= gpcAt ?? .min {
      gpc = other.gpc
      gpcAt = at
    }
    if let at = other.attAt, at >= attAt ?? .min {
      att = other.att
      attAt = at
    }
  }

  /// Whether it keeps anything from being allowed.
  var restricts: Bool { gpc == true || (att ?? .authorized) != .authorized }
}

extension DeviceSignals: JSONObjectEncodable {
  func encode(into object: JSONObject) {
    object.put("device", device)
    object.put("gpc", gpc)
    object.put("gpcAt", gpcAt)
    object.put("att", att?.rawValue)
    object.put("attAt", attAt)
  }
}

/// The signals that an evaluation goes by.
struct Signals: Sendable, Hashable {
  var gpc = false
  var gpcAt: Timestamp?
  var att: ConsentATT?

  /// Nothing is known.
  static let none = Signals()

  init(gpc: Bool = false, gpcAt: Timestamp? = nil, att: ConsentATT? = nil) {
    self.gpc = gpc
    self.gpcAt = gpcAt
    self.att = att
  }

  /// Of one device, as its own record and the account's know them.
  init(of device: String, _ records: ConsentRecord?...) {
    var known = DeviceSignals(device: device)
    for record in records {
      for signals in record?.devices ?? [] where signals.device == device { known.merge(signals) }
    }
    self.init(
      gpc: known.gpc ?? false, gpcAt: known.gpcAt.map { Timestamp(milliseconds: $0) }, att: known.att)
  }

  /// The strictest of every device that is known.
  init(strictestOf record: ConsentRecord?) {
    for signals in record?.devices ?? [] {
      if signals.gpc == true || (!gpc && gpcAt == nil) {
        gpc = gpc || signals.gpc == true
        gpcAt = signals.gpcAt.map { Timestamp(milliseconds: $0) } ?? gpcAt
      }
      if let stated = signals.att, stated.strictness > att?.strictness ?? -1 { att = stated }
    }
  }

  /// Adds what the request itself carried.
  func with(requestGPC: Bool, at now: Timestamp) -> Signals {
    guard requestGPC, !gpc else { return self }
    return Signals(gpc: true, gpcAt: now, att: att)
  }
}

extension ConsentATT {
  fileprivate var strictness: Int {
    switch self {
    case .authorized: 0
    case .notDetermined: 1
    case .denied: 2
    case .restricted: 3
    }
  }
}

extension ConsentRecord {
  /// Devices whose signals an account keeps. Beyond it the least recent go first, those that restrict nothing before
  /// the others, so that signing in from ever new devices cannot make the record grow.
  static let mostDevices = 64

  /// Keeps what `device` signalled.
  /// - Returns: whether that was new.
  mutating func keep(_ signals: DeviceSignals) -> Bool {
    var all = devices ?? []
    if let index = all.firstIndex(where: { $0.device == signals.device }) {
      let before = all[index]
      all[index].merge(signals)
      guard all[index].gpc != before.gpc || all[index].att != before.att else { return false }
    } else {
      all.append(signals)
      if all.count > ConsentRecord.mostDevices {
        let rank: (DeviceSignals) -> (Int, Int64) = { ($0.restricts ? 1 : 0, max($0.gpcAt ?? 0, $0.attAt ?? 0)) }
        let least = all.indices.dropLast().min { rank(all[$0]) < rank(all[$1]) }!
        all.remove(at: least)
      }
    }
    devices = all
    return true
  }
}
