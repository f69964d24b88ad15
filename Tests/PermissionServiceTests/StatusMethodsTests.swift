// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import JSONRPC
import RPC
import SettingsContracts
import Testing

@testable import PermissionService

@Suite("permission.report and permission.list")
struct StatusMethodsTests {
  private let device = Principal.device("phone")
  private let maya = Principal.person("maya", device: "phone")

  private func list(
    _ running: RunningPermissions, as principal: Principal, _ params: PermissionListParams = PermissionListParams()
  ) async throws -> PermissionListResult {
    try await running.call(PermissionMethods.list, params, as: principal)
  }

  @Test("show every kind of the catalog in its order, not asked, before anything was reported")
  func empty() async throws {
    let running = try await RunningPermissions()
    let result = try await list(running, as: device)
    #expect(result.items.map(\.kind) == PermissionKind.allCases)
    #expect(result.items.allSatisfy { $0.status == .notAsked && $0.chip == "Not asked" && $0.next == .ask })
    #expect(result.items.allSatisfy { $0.changedAt == nil })
    #expect(result.revision == 0)
    #expect(result.deviceId == "phone")
  }

  @Test("keep what the system says, with chip, next step and time")
  func report() async throws {
    let running = try await RunningPermissions()
    let reported = try await running.report(
      [.camera: "authorized", .photos: "limited", .location: "restricted", .contacts: "notDetermined"], as: device)
    let listed = try await list(running, as: device)
    #expect(reported.revision == 1)
    #expect(reported.entryId != nil)
    #expect(listed.revision == 1)
    #expect(listed.entryId == nil)
    #expect(listed.items.map(\.chip) == reported.items.map(\.chip))
    #expect(
      listed.items.prefix(4).map { "\($0.chip), \($0.next.rawValue), \($0.limited ?? "")" } == [
        "Allowed, openSettings, ", "Limited, openSettings, Selected photos", "Not allowed, openSettings, ",
        "Not asked, ask, ",
      ])
    #expect(listed.items.prefix(4).allSatisfy { $0.changedAt == running.clock.now() })
  }

  @Test("by a person are records of theirs and take the heads of device and account")
  func twoSubjects() async throws {
    let running = try await RunningPermissions()
    let result = try await running.report([.camera: "granted", .microphone: "denied"], as: maya)
    let events = try await running.events()
    #expect(Set(events.map(\.subject)) == ["d:phone", "a:maya"])
    let records = events.flatMap(\.records)
    #expect(records.count == 2)
    #expect(records.contains { $0.entryId == result.entryId })
    #expect(events.first { $0.subject == "a:maya" }?.records.count == 2)
    #expect(records.allSatisfy { $0.kind == "permission.changed" && $0.personal["accountId"] == "maya" })
    #expect(Set(records.map { $0.facts["status"] }) == ["allowed", "denied"])
  }

  @Test("that say what is known use no revision and leave no record")
  func unchanged() async throws {
    let running = try await RunningPermissions()
    try await running.report([.camera: "granted"], as: device)
    let again = try await running.report([.camera: "authorized"], as: device)
    #expect(again.revision == 1)
    #expect(again.entryId == nil)
    #expect(try await running.events().count == 1)
  }

  @Test("that are older change nothing, and say so; so are those older than a confirmation")
  func older() async throws {
    let running = try await RunningPermissions()
    let now = running.clock.now()
    try await running.report([.camera: "granted"], as: device, at: now + (-3000))
    try await running.report([.camera: "granted"], as: device, at: now + (-1000))
    let late = try await running.report([.camera: "denied"], as: device, at: now + (-2000))
    #expect(late.outdated == [.camera])
    #expect(late.entryId == nil)
    #expect(late.items.first?.status == .allowed)
    let newer = try await running.report([.camera: "denied"], as: device, at: now)
    #expect(newer.outdated == nil)
    #expect(newer.items.first?.status == .denied)
  }

  @Test("from a clock that runs ahead count as read on receipt")
  func ahead() async throws {
    let running = try await RunningPermissions()
    try await running.report([.camera: "granted"], as: device, at: running.clock.now() + 86_400_000)
    running.clock.advance(milliseconds: 1000)
    let next = try await running.report([.camera: "denied"], as: device)
    #expect(next.outdated == nil)
    #expect(next.items.first?.status == .denied)
  }

  @Test("under one idempotency key happen once")
  func repeated() async throws {
    let running = try await RunningPermissions()
    let params = PermissionReportParams(permissions: [.init(kind: .camera, status: "granted")], platform: .ios)
    let first = try await running.call(PermissionMethods.report, params, as: device, key: "k")
    let second = try await running.call(PermissionMethods.report, params, as: device, key: "k")
    #expect(second.entryId == first.entryId)
    #expect(second.revision == 1)
  }

  @Test("keep devices and apps apart")
  func apart() async throws {
    let running = try await RunningPermissions()
    try await running.report([.camera: "granted"], as: device)
    #expect(try await list(running, as: .device("tablet")).items.first?.status == .notAsked)
    #expect(try await list(running, as: .device("phone", app: "other")).items.first?.status == .notAsked)
    #expect(try await list(running, as: .person("maya", device: "phone")).items.first?.status == .allowed)
  }

  @Test("tell notification-prefs-service of the notifications permission, and of nothing else")
  func payload() async throws {
    let running = try await RunningPermissions()
    try await running.report([.camera: "granted"], as: device)
    try await running.report([.notifications: "provisional"], as: maya)
    let told = try await running.events(for: "notification-prefs-service").compactMap(\.payload)
    #expect(told.count == 1)
    #expect(told[0]["deviceId"] == "phone")
    #expect(told[0]["status"] == "limited")
    #expect(told[0]["at"] == .string(running.clock.now().description))
  }

  @Test("are shown to a key by device, by account, and by both when they belong together")
  func key() async throws {
    let running = try await RunningPermissions()
    try await running.report([.camera: "granted"], as: maya)
    running.clock.advance(milliseconds: 1)
    try await running.report([.camera: "denied"], as: .person("maya", device: "tablet"))
    #expect(try await list(running, as: .sender, .init(deviceId: "phone")).items.first?.status == .allowed)
    let latest = try await list(running, as: .sender, .init(accountId: "maya"))
    #expect(latest.deviceId == "tablet")
    #expect(latest.items.first?.status == .denied)
    running.clock.advance(milliseconds: 1)
    try await running.report([.camera: "granted"], as: maya)
    #expect(try await list(running, as: .sender, .init(accountId: "maya")).deviceId == "phone")
    #expect(try await list(running, as: .sender, .init(accountId: "maya", deviceId: "phone")).deviceId == "phone")
    #expect(
      try await running.refusal(
        PermissionMethods.list, PermissionListParams(accountId: "noor", deviceId: "phone"), as: .sender
      ).code == .notFound)
    let unknown = try await list(running, as: .sender, .init(accountId: "noor"))
    #expect(unknown.deviceId == nil)
    #expect(unknown.items.count == 7)
  }

  @Test("refuse what cannot be, by an error that names the param")
  func refused() async throws {
    let running = try await RunningPermissions()
    func refusal(
      _ permissions: [PermissionReportParams.Item], as principal: Principal? = nil, deviceId: String? = nil,
      osVersion: String? = nil
    ) async throws -> String {
      let error = try await running.refusal(
        PermissionMethods.report,
        PermissionReportParams(
          deviceId: deviceId, permissions: permissions, platform: .web, osVersion: osVersion), as: principal ?? device)
      return "\(error.code.status) \(error.message)"
    }
    #expect(try await refusal([]) == "INVALID_PARAMS permissions: 0 are not in 1...7")
    #expect(
      try await refusal([.init(kind: .camera, status: "prompt"), .init(kind: .camera, status: "prompt")])
        == "INVALID_PARAMS permissions[1].kind: camera is reported twice")
    #expect(
      try await refusal([.init(kind: .camera, status: "yes")])
        == "INVALID_PARAMS permissions[0].status: must be one of allowed, authorized, denied, granted, notAsked, "
        + "notDetermined, prompt for camera on web")
    #expect(
      try await refusal([.init(kind: .camera, status: "prompt", detail: "")])
        == "INVALID_PARAMS permissions[0].detail: 0 characters are not in 1...64")
    #expect(
      try await refusal([.init(kind: .camera, status: "prompt")], osVersion: "\u{1}")
        == "INVALID_PARAMS osVersion: must not hold control characters, line breaks or text direction controls")
    #expect(
      try await refusal([.init(kind: .camera, status: "prompt")], deviceId: "tablet")
        == "PERMISSION_DENIED deviceId: another's device")
    #expect(
      try await refusal([.init(kind: .camera, status: "prompt")], as: .person("maya", device: nil))
        == "FAILED_PRECONDITION the session has no device: start it with a deviceId")
    #expect(try await refusal([.init(kind: .camera, status: "prompt")], as: .sender).hasPrefix("PERMISSION_DENIED"))
    #expect(try await running.events().isEmpty)
  }
}
