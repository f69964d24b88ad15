// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import ConsentService

@Suite("Linking a device to an account")
struct LinkTests {
  static let early = noon + -days(2)
  static let late = noon + -days(1)

  struct Row: Sendable, CustomStringConvertible {
    var description: String
    var account: Decision?
    var device: Decision?
    var expected: (status: Decision.Status, method: ConsentMethod)?
  }
  static let rows: [Row] = [
    Row(
      description: "device-only decisions are adopted", device: decision("marketing", .granted, at: early),
      expected: (.granted, .link)),
    Row(
      description: "a newer grant replaces an older refusal", account: decision("marketing", .denied, at: early),
      device: decision("marketing", .granted, at: late), expected: (.granted, .link)),
    Row(
      description: "a newer refusal replaces an older grant", account: decision("marketing", .granted, at: early),
      device: decision("marketing", .denied, at: late), expected: (.denied, .link)),
    Row(
      description: "an older grant never replaces a newer refusal",
      account: decision("marketing", .denied, at: late), device: decision("marketing", .granted, at: early),
      expected: (.denied, .save)),
    Row(
      description: "an older refusal does not replace a newer grant",
      account: decision("marketing", .granted, at: late), device: decision("marketing", .denied, at: early),
      expected: (.granted, .save)),
    Row(
      description: "on a tie the device's refusal stands", account: decision("marketing", .granted, at: late),
      device: decision("marketing", .denied, at: late), expected: (.denied, .link)),
    Row(
      description: "on a tie the account's refusal stands", account: decision("marketing", .denied, at: late),
      device: decision("marketing", .granted, at: late), expected: (.denied, .save)),
    Row(
      description: "an opt-out of the account outlasts a newer grant of the device",
      account: decision("marketing", .denied, at: early, optedOut: true),
      device: decision("marketing", .granted, at: late), expected: (.denied, .save)),
    Row(
      description: "what the account took back stays taken back",
      account: decision("marketing", .notDetermined, at: late), device: decision("marketing", .granted, at: early),
      expected: (.notDetermined, .save)),
    Row(
      description: "a device that decided nothing changes nothing", account: decision("marketing", .granted, at: early),
      expected: (.granted, .save)),
  ]

  @Test("keeps per category the newest explicit decision", arguments: rows)
  func newest(row: Row) {
    var account = ConsentRecord(decisions: row.account.map { [$0] } ?? [])
    let device = ConsentRecord(decisions: row.device.map { [$0] } ?? [])
    let (adopted, changed) = account.link(device, as: "d1", on: ground(.germany))
    #expect(account["marketing"]?.status == row.expected?.status)
    #expect(account["marketing"]?.method == row.expected?.method)
    #expect(adopted.isEmpty == (row.expected?.method != .link))
    #expect(changed == (row.expected?.method == .link))
    let again = account
    _ = account.link(device, as: "d1", on: ground(.germany))
    #expect(account == again)
  }

  @Test("brings the opt-out of a device that was reset, the younger age, the region and the signals")
  func facts() {
    var device = ConsentRecord(subject: SubjectFacts(country: "US", subdivision: "CA", age: .age15))
    device["marketing"] = Decision(
      category: "marketing", status: .notDetermined, at: noon.milliseconds, version: 1, method: .save,
      optedOutAt: noon.milliseconds)
    _ = device.keep(DeviceSignals(device: "d1", gpc: true, gpcAt: 5, att: .denied, attAt: 6))
    var account = ConsentRecord(subject: SubjectFacts(age: .adult))
    let (adopted, changed) = account.link(device, as: "d1", on: ground(.germany))
    #expect(adopted.isEmpty && changed)
    #expect(account["marketing"]?.optedOutAt == noon.milliseconds)
    #expect(account.facts == SubjectFacts(country: "US", subdivision: "CA", age: .age15))
    #expect(Signals(of: "d1", account) == Signals(gpc: true, gpcAt: Timestamp(milliseconds: 5), att: .denied))
  }

  @Test("leaves an account's own region alone")
  func region() {
    var account = ConsentRecord(subject: SubjectFacts(country: "DE"))
    let device = ConsentRecord(subject: SubjectFacts(country: "US", subdivision: "CA", age: .age15))
    _ = account.link(device, as: "d1", on: ground(.germany))
    #expect(account.facts == SubjectFacts(country: "DE", age: .age15))
  }
}

@Suite("Signals of devices")
struct SignalTests {
  @Test("without a device the strictest known counts")
  func strictest() {
    var record = ConsentRecord()
    _ = record.keep(DeviceSignals(device: "phone", gpc: false, gpcAt: 1, att: .authorized, attAt: 1))
    _ = record.keep(DeviceSignals(device: "tablet", gpc: true, gpcAt: 2, att: .notDetermined, attAt: 2))
    _ = record.keep(DeviceSignals(device: "old", att: .denied, attAt: 3))
    #expect(Signals(strictestOf: record) == Signals(gpc: true, gpcAt: Timestamp(milliseconds: 2), att: .denied))
    #expect(Signals(of: "phone", record) == Signals(gpcAt: Timestamp(milliseconds: 1), att: .authorized))
    #expect(Signals(of: "unheard of", record) == .none)
    #expect(Signals(strictestOf: nil) == .none)
  }

  @Test("the newer of the account's and the device's own knowledge counts")
  func merged() {
    var account = ConsentRecord()
    var device = ConsentRecord()
    _ = account.keep(DeviceSignals(device: "phone", att: .authorized, attAt: 9))
    _ = device.keep(DeviceSignals(device: "phone", gpc: true, gpcAt: 3, att: .denied, attAt: 4))
    #expect(Signals(of: "phone", account, device).att == .authorized)
    #expect(Signals(of: "phone", account, device).gpc)
  }

  @Test("a record keeps a bounded number of devices, the strict ones longest")
  func bounded() {
    var record = ConsentRecord()
    _ = record.keep(DeviceSignals(device: "strict", att: .denied, attAt: 0))
    for number in 1...Int64(500) {
      _ = record.keep(DeviceSignals(device: "d\(number)", att: .authorized, attAt: number))
    }
    #expect(record.devices?.count == ConsentRecord.mostDevices)
    #expect(Signals(strictestOf: record).att == .denied)
    #expect(record.devices?.contains { $0.device == "d500" } == true)
  }

  @Test("what was known already is no change")
  func unchanged() {
    var record = ConsentRecord()
    let changes = [true, true, false].enumerated().map { index, gpc in
      record.keep(DeviceSignals(device: "phone", gpc: gpc, gpcAt: Int64(index)))
    }
    #expect(changes == [true, false, true])
  }
}
