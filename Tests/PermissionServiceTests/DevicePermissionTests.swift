// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import PermissionService

@Suite("Reports of the system")
struct DevicePermissionTests {
  private let noon = Timestamp(milliseconds: 1_800_000_000_000)

  @Test("change status and the time since when it is so")
  func change() {
    var permission = DevicePermission(.camera)
    #expect(permission.take(.notAsked, detail: nil, at: noon) == .changed)
    #expect(permission.take(.allowed, detail: nil, at: noon + 10) == .changed)
    #expect(permission.take(.allowed, detail: nil, at: noon + 20) == .confirmed)
    #expect(permission.changedAt == noon + 10)
    #expect(permission.reportedAt == noon + 20)
  }

  @Test("that are older change nothing, also when a confirmation came between")
  func older() {
    var permission = DevicePermission(.camera)
    _ = permission.take(.allowed, detail: nil, at: noon)
    _ = permission.take(.allowed, detail: nil, at: noon + 20)
    let before = permission
    #expect(permission.take(.denied, detail: nil, at: noon + 10) == .outdated)
    #expect(permission == before)
  }

  @Test("of the same moment: the one received last stands")
  func sameMoment() {
    var permission = DevicePermission(.camera)
    _ = permission.take(.allowed, detail: nil, at: noon)
    #expect(permission.take(.denied, detail: nil, at: noon) == .changed)
    #expect(permission.status == .denied)
  }

  @Test("with an answer use the prompt up, except quiet notifications", arguments: PermissionStatus.allCases)
  func budget(status: PermissionStatus) {
    for kind in PermissionKind.allCases {
      var permission = DevicePermission(kind)
      _ = permission.take(status, detail: nil, at: noon)
      let isFree = status == .notAsked || (kind == .notifications && status == .limited)
      #expect((permission.promptUsedAt == nil) == isFree, "\(kind)")
    }
  }

  @Test("that say the system would ask again give the prompt back")
  func reset() {
    var permission = DevicePermission(.camera)
    _ = permission.take(.denied, detail: nil, at: noon)
    #expect(permission.take(.notAsked, detail: nil, at: noon + 10) == .changed)
    #expect(permission.promptUsedAt == nil)
    #expect(permission.primer == .notAsked)
  }

  @Test("that say so while a primer is shown or put off leave it there", arguments: [PrimerState.shown, .notNow])
  func resetKeepsPrimer(state: PrimerState) {
    var permission = DevicePermission(.camera)
    permission.primer = state
    permission.coolDownUntil = noon + 1000
    _ = permission.take(.notAsked, detail: nil, at: noon)
    #expect(permission.primer == state)
    #expect(permission.coolDownUntil == noon + 1000)
  }
}
