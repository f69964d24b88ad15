// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import PermissionService

@Suite("Platform words")
struct PlatformWordsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var kind: PermissionKind
    var platform: Platform
    var word: String
    var detail: String?
    var status: PermissionStatus
    init(_ kind: PermissionKind, _ platform: Platform, _ word: String, _ detail: String?, _ status: PermissionStatus) {
      (self.kind, self.platform, self.word, self.detail, self.status) = (kind, platform, word, detail, status)
    }
    var testDescription: String { "\(platform) \(kind) \(word) \(detail ?? "")" }
  }

  @Test(
    "are kept in four words",
    arguments: [
      Case(.camera, .ios, "notDetermined", nil, .notAsked), Case(.camera, .ios, "restricted", nil, .denied),
      Case(.camera, .ios, "denied", nil, .denied), Case(.camera, .ios, "authorized", nil, .allowed),
      Case(.photos, .ipados, "limited", nil, .limited), Case(.contacts, .ios, "limited", nil, .limited),
      Case(.location, .ios, "authorizedWhenInUse", nil, .allowed),
      Case(.location, .ios, "authorizedAlways", "reducedAccuracy", .limited),
      Case(.location, .ios, "denied", "reducedAccuracy", .denied),
      Case(.camera, .ios, "authorized", "reducedAccuracy", .allowed),
      Case(.notifications, .ios, "provisional", nil, .limited), Case(.notifications, .ios, "quiet", nil, .limited),
      Case(.notifications, .ios, "ephemeral", nil, .allowed), Case(.tracking, .ios, "authorized", nil, .allowed),
      Case(.microphone, .ios, "undetermined", nil, .notAsked), Case(.microphone, .ios, "granted", nil, .allowed),
      Case(.photos, .android, "partial", nil, .limited), Case(.location, .android, "coarse", nil, .limited),
      Case(.location, .android, "granted", "approximate", .limited),
      Case(.camera, .android, "permanentlyDenied", nil, .denied),
      Case(.camera, .android, "prompt-with-rationale", nil, .notAsked),
      Case(.notifications, .android, "silent", nil, .limited), Case(.camera, .web, "prompt", nil, .notAsked),
      Case(.camera, .web, "granted", nil, .allowed), Case(.notifications, .web, "default", nil, .notAsked),
      Case(.camera, .macos, "allowed", nil, .allowed), Case(.camera, .web, "notAsked", nil, .notAsked),
    ])
  func table(_ example: Case) throws {
    #expect(
      try PlatformWords.status(example.word, detail: example.detail, of: example.kind, on: example.platform, "status")
        == example.status)
  }

  @Test(
    "that a platform does not say are refused by an error that names those it does",
    arguments: [
      (
        "maybe", PermissionKind.camera, Platform.web,
        "allowed, authorized, denied, granted, notAsked, notDetermined, prompt"
      ),
      ("limited", .camera, .ios, "allowed, authorized, denied, granted, notAsked, notDetermined, restricted"),
      ("", .tracking, .ios, "allowed, authorized, denied, granted, notAsked, notDetermined, restricted"),
    ])
  func unknown(word: String, kind: PermissionKind, platform: Platform, allowed: String) {
    let error = #expect(throws: RPCError.self) {
      try PlatformWords.status(word, detail: nil, of: kind, on: platform, "permissions[0].status")
    }
    #expect(error?.code == .invalidParams)
    #expect(error?.message == "permissions[0].status: must be one of \(allowed) for \(kind) on \(platform)")
  }

  @Test("of Assent are understood for every kind on every platform")
  func own() throws {
    for platform in Platform.allCases {
      for kind in PermissionKind.allCases {
        for status in [PermissionStatus.allowed, .denied, .notAsked] {
          #expect(
            try PlatformWords.status(status.rawValue, detail: nil, of: kind, on: platform, "status") == status)
        }
      }
    }
  }
}
