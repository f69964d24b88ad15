// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import JSONRPC
import RPC
import SettingsContracts
import Testing

@testable import PermissionService

@Suite("permission.primer and permission.record")
struct PrimerMethodsTests {
  private let device = Principal.device("phone")
  private let maya = Principal.person("maya", device: "phone")

  @Test("go from the first look to granted, and the list follows")
  func flow() async throws {
    let running = try await RunningPermissions()
    let first = try await running.primer(as: device)
    #expect(first.show)
    #expect(first.why == .notAsked)
    #expect(first.content.alert.title == "“Tern” Would Like to Access the Camera")
    #expect(try await running.record(.shown, as: device).state == .shown)
    #expect(try await running.record(.asked, as: device).why == .promptSpent)
    let granted = try await running.record(.granted, as: device)
    #expect(granted.state == .granted)
    #expect(granted.status == .allowed)
    #expect(!granted.flagged)
    #expect(granted.revision == 3)
    let after = try await running.primer(as: device)
    #expect(!after.show)
    #expect(after.state == .granted)
    let listed = try await running.call(PermissionMethods.list, PermissionListParams(), as: device)
    #expect(listed.items.first?.chip == "Allowed")
    #expect(listed.items.first?.changedAt == running.clock.now())
  }

  @Test("wait a week after not now, on this device and on every other of the person's")
  func notNow() async throws {
    let running = try await RunningPermissions()
    try await running.record(.shown, as: maya)
    let put = try await running.record(.notNow, as: maya)
    #expect(put.state == .notNow)
    #expect(!put.show)
    #expect(put.askAgainAt == running.clock.now() + 7 * 86_400_000)
    let elsewhere = Principal.person("maya", device: "tablet")
    for principal in [maya, elsewhere, Principal.person("noor", device: "phone"), device] {
      #expect(try await running.primer(as: principal).why == .coolingDown)
    }
    #expect(try await running.primer(as: .person("noor", device: "tablet")).show)
    running.clock.advance(days: 7)
    for principal in [maya, elsewhere] {
      let offer = try await running.primer(as: principal)
      #expect(offer.show)
      #expect(offer.why == .coolDownEnded)
      #expect(offer.askAgainAt == nil)
    }
  }

  @Test("never offer a prompt again that was spent on the device, whichever account")
  func spent() async throws {
    let running = try await RunningPermissions()
    try await running.record(.asked, as: maya)
    let noor = Principal.person("noor", device: "phone")
    #expect(try await running.primer(as: noor).why == .promptSpent)
    #expect(try await running.primer(as: device).why == .promptSpent)
    running.clock.advance(days: 400)
    #expect(!(try await running.primer(as: noor).show))
    try await running.record(.denied, as: maya)
    #expect(try await running.primer(as: noor).why == .denied)
    #expect(try await running.primer(as: .person("maya", device: "tablet")).show)
  }

  @Test("follow the system where it was reset")
  func reset() async throws {
    let running = try await RunningPermissions()
    try await running.record(.asked, as: device)
    try await running.record(.denied, as: device)
    running.clock.advance(milliseconds: 1000)
    try await running.report([.camera: "notDetermined"], as: device)
    #expect(try await running.primer(as: device).show)
  }

  @Test("keep an impossible step, flagged, in the trail")
  func flagged() async throws {
    let running = try await RunningPermissions()
    let result = try await running.record(.granted, as: maya)
    #expect(result.flagged)
    #expect(result.state == .granted)
    let records = try await running.events().flatMap(\.records)
    #expect(records.count == 1)
    #expect(records[0].entryId == result.entryId)
    #expect(records[0].kind == "permission.primer")
    #expect(records[0].facts["flagged"] == true)
    #expect(records[0].facts["permission"] == "camera")
    #expect(records[0].personal["accountId"] == "maya")
  }

  @Test("tell notification-prefs-service when the answer about notifications is known")
  func payload() async throws {
    let running = try await RunningPermissions()
    try await running.record(.asked, .notifications, as: maya)
    try await running.record(.granted, .notifications, as: maya)
    try await running.record(.granted, .notifications, as: maya)
    let told = try await running.events(for: "notification-prefs-service").compactMap(\.payload)
    #expect(told.map { $0["status"] } == ["allowed"])
  }

  @Test("name the app in every text and refuse a name that is none")
  func appName() async throws {
    let running = try await RunningPermissions()
    for (name, message) in [
      ("", "appName: 0 characters are not in 1...100"), (" ", "appName: must not be blank"),
      ("a\u{7}b", "appName: must not hold control characters, line breaks or text direction controls"),
    ] {
      let error = try await running.refusal(
        PermissionMethods.primer, PermissionPrimerParams(kind: .camera, appName: name), as: device)
      #expect(error.message == message)
    }
    let odd = try await running.call(
      PermissionMethods.primer, PermissionPrimerParams(kind: .camera, appName: "{appName}"), as: device)
    #expect(odd.content.alert.title == "“{appName}” Would Like to Access the Camera")
  }
}

@Suite("permission.publishCatalog")
struct CatalogMethodsTests {
  private let params = PermissionPublishCatalogParams(
    kinds: [
      .init(kind: .notifications, texts: [.init(locale: "de", name: "Mitteilungen")]),
      .init(kind: .camera, promptOnce: false),
    ])

  @Test("replaces what is listed and says once that it did")
  func publish() async throws {
    let running = try await RunningPermissions()
    let device = Principal.device("phone")
    let built = try await running.call(PermissionMethods.catalog, PermissionCatalogParams(), as: device)
    #expect(built.revision == 0)
    #expect(built.kinds.count == 7)
    let published = try await running.call(PermissionMethods.publishCatalog, params, as: .admin)
    #expect(published.revision == 1)
    #expect(published.entryId != nil)
    let again = try await running.call(PermissionMethods.publishCatalog, params, as: .admin)
    #expect(again.revision == 1)
    #expect(again.entryId == nil)
    let live = try await running.call(PermissionMethods.catalog, PermissionCatalogParams(locale: "de"), as: device)
    #expect(live.kinds.map(\.name) == ["Mitteilungen", "Camera"])
    let listed = try await running.call(PermissionMethods.list, PermissionListParams(), as: device)
    #expect(listed.items.map(\.kind) == [.notifications, .camera])
    #expect(
      try await running.call(
        PermissionMethods.list, PermissionListParams(), as: .device("phone", app: "other")
      ).items.count == 7)
  }

  @Test("lets an app offer a primer again where the system asks more than once")
  func promptOnce() async throws {
    let running = try await RunningPermissions()
    let device = Principal.device("phone")
    _ = try await running.call(PermissionMethods.publishCatalog, params, as: .admin)
    try await running.record(.asked, as: device)
    #expect(try await running.primer(as: device).show)
  }

  @Test("is for admins")
  func admins() async throws {
    let running = try await RunningPermissions()
    for principal in [
      Principal.device("phone"), .person("maya", device: "phone"), .sender,
      Principal(kind: .key, name: "o", role: "operator"),
    ] {
      #expect(
        try await running.refusal(PermissionMethods.publishCatalog, params, as: principal).code == .permissionDenied)
    }
  }
}
