// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import PermissionService

private let noon = Timestamp(milliseconds: 1_800_000_000_000)
private let week: Int64 = 7 * 24 * 3600 * 1000

/// A device brought to a state by the events that lead there.
private func device(_ state: PrimerState, kind: PermissionKind = .camera) -> DevicePermission {
  let path: [PrimerEvent] =
    switch state {
    case .notAsked: []
    case .shown: [.shown]
    case .notNow: [.shown, .notNow]
    case .asked: [.shown, .asked]
    case .granted: [.shown, .asked, .granted]
    case .limited: [.shown, .asked, .limited]
    case .denied: [.shown, .asked, .denied]
    }
  var permission = DevicePermission(kind)
  for event in path {
    let outcome = PrimerMachine.apply(event, to: permission, nil, promptOnce: true, now: noon)
    #expect(!outcome.isFlagged, "\(event) on the way to \(state)")
    permission = outcome.device
  }
  #expect(permission.primer == state)
  return permission
}

@Suite("Primer machine")
struct PrimerMachineTests {
  /// Every state with every event, an hour later: the state it leads to, flagged with `!`.
  static let table: [(PrimerState, [PrimerEvent: String])] = [
    (
      .notAsked,
      [
        .shown: "shown", .notNow: "notNow!", .asked: "asked", .granted: "granted!", .limited: "limited!",
        .denied: "denied!", .openedSettings: "notAsked!",
      ]
    ),
    (
      .shown,
      [
        .shown: "shown", .notNow: "notNow", .asked: "asked", .granted: "granted!", .limited: "limited!",
        .denied: "denied!", .openedSettings: "shown!",
      ]
    ),
    (
      .notNow,
      [
        .shown: "notNow!", .notNow: "notNow!", .asked: "asked", .granted: "granted!", .limited: "limited!",
        .denied: "denied!", .openedSettings: "notNow!",
      ]
    ),
    (
      .asked,
      [
        .shown: "asked!", .notNow: "asked!", .asked: "asked!", .granted: "granted", .limited: "limited",
        .denied: "denied", .openedSettings: "asked!",
      ]
    ),
    (
      .granted,
      [
        .shown: "granted!", .notNow: "granted!", .asked: "granted!", .granted: "granted", .limited: "limited",
        .denied: "denied", .openedSettings: "granted",
      ]
    ),
    (
      .limited,
      [
        .shown: "limited!", .notNow: "limited!", .asked: "limited!", .granted: "granted", .limited: "limited",
        .denied: "denied", .openedSettings: "limited",
      ]
    ),
    (
      .denied,
      [
        .shown: "denied!", .notNow: "denied!", .asked: "denied!", .granted: "granted", .limited: "limited",
        .denied: "denied", .openedSettings: "denied",
      ]
    ),
  ]

  @Test("has an outcome for every state and event", arguments: table)
  func everyStep(state: PrimerState, steps: [PrimerEvent: String]) {
    #expect(steps.count == PrimerEvent.allCases.count)
    for (event, expected) in steps {
      let outcome = PrimerMachine.apply(
        event, to: device(state), PersonPrimer(), promptOnce: true, now: noon + 3_600_000)
      #expect("\(outcome.device.primer)\(outcome.isFlagged ? "!" : "")" == expected, "\(event)")
    }
  }

  @Test("follows the system: an answer sets the status, as a report does", arguments: PrimerState.allCases)
  func answers(state: PrimerState) {
    for (event, status) in [PrimerEvent.granted: PermissionStatus.allowed, .limited: .limited, .denied: .denied] {
      let outcome = PrimerMachine.apply(event, to: device(state), nil, promptOnce: true, now: noon + 5)
      #expect(outcome.device.status == status)
      #expect(outcome.device.reportedAt == noon + 5)
      #expect(outcome.changedStatus == (device(state).status != status))
      #expect(outcome.device.promptUsedAt != nil)
    }
  }

  @Test("keeps the system's prompt for a person who says not now, and waits a week")
  func notNow() {
    let outcome = PrimerMachine.apply(.notNow, to: device(.shown), PersonPrimer(), promptOnce: true, now: noon)
    #expect(outcome.device.promptUsedAt == nil)
    #expect(outcome.device.coolDownUntil == noon + week)
    #expect(outcome.person == PersonPrimer(state: .notNow, coolDownUntil: noon + week))
    func offer(_ now: Timestamp) -> PrimerOffer {
      PrimerOffer(outcome.device, outcome.person, promptOnce: true, now: now)
    }
    #expect(!offer(noon).show)
    #expect(offer(noon).why == .coolingDown)
    #expect(offer(noon).askAgainAt == noon + week)
    #expect(!offer(noon + (week - 1)).show)
    #expect(offer(noon + week).show)
    #expect(offer(noon + week).why == .coolDownEnded)
    #expect(offer(noon + week).askAgainAt == nil)
  }

  @Test("lets the primer be shown again once a not now has cooled down")
  func shownAgain() {
    let outcome = PrimerMachine.apply(.shown, to: device(.notNow), nil, promptOnce: true, now: noon + week)
    #expect(!outcome.isFlagged)
    #expect(outcome.device.primer == .shown)
    #expect(outcome.device.coolDownUntil == nil)
  }

  @Test("lets an app ask again where the system does", arguments: [PrimerState.asked, .denied])
  func promptMoreThanOnce(state: PrimerState) {
    let outcome = PrimerMachine.apply(.asked, to: device(state), nil, promptOnce: false, now: noon)
    #expect(!outcome.isFlagged)
    #expect(outcome.device.primer == .asked)
  }

  @Test("knows that quiet notifications leave the prompt")
  func quiet() {
    var permission = DevicePermission(.notifications)
    _ = permission.take(.limited, detail: nil, at: noon)
    let asked = PrimerMachine.apply(.asked, to: permission, nil, promptOnce: true, now: noon + 1)
    #expect(!asked.isFlagged)
    let granted = PrimerMachine.apply(.granted, to: asked.device, nil, promptOnce: true, now: noon + 2)
    #expect(!granted.isFlagged)
    #expect(granted.device.status == .allowed)
  }
}

@Suite("Primer offer")
struct PrimerOfferTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var device: PrimerState
    var person: PersonPrimer?
    var after: Int64
    var expected: (show: Bool, why: PrimerReason, state: PrimerState)
    var testDescription: String { name }
  }

  @Test(
    "is made where the system would ask and nobody put it off",
    arguments: [
      Case(name: "nothing happened", device: .notAsked, after: 0, expected: (true, .notAsked, .notAsked)),
      Case(name: "shown and left", device: .shown, after: 0, expected: (true, .notAsked, .shown)),
      Case(name: "cooling down", device: .notNow, after: week - 1, expected: (false, .coolingDown, .notNow)),
      Case(name: "cooled down", device: .notNow, after: week, expected: (true, .coolDownEnded, .notNow)),
      Case(name: "asked, no answer known", device: .asked, after: 0, expected: (false, .promptSpent, .asked)),
      Case(name: "granted", device: .granted, after: 0, expected: (false, .allowed, .granted)),
      Case(name: "limited", device: .limited, after: 0, expected: (false, .limited, .limited)),
      Case(name: "denied", device: .denied, after: 0, expected: (false, .denied, .denied)),
      Case(
        name: "another account on this device, whose prompt is spent", device: .denied, person: PersonPrimer(),
        after: 0, expected: (false, .denied, .denied)),
      Case(
        name: "a new device of a person who said not now", device: .notAsked,
        person: PersonPrimer(state: .notNow, coolDownUntil: noon + 500), after: 499,
        expected: (false, .coolingDown, .notNow)),
      Case(
        name: "the same, cooled down", device: .notAsked,
        person: PersonPrimer(state: .notNow, coolDownUntil: noon + 500), after: 500,
        expected: (true, .coolDownEnded, .notNow)),
      Case(
        name: "a new device of a person who granted elsewhere", device: .notAsked,
        person: PersonPrimer(state: .granted), after: 0, expected: (true, .notAsked, .notAsked)),
      Case(
        name: "another person on a device where not now was said", device: .notNow, person: PersonPrimer(), after: 0,
        expected: (false, .coolingDown, .notNow)),
    ])
  func table(_ example: Case) {
    let offer = PrimerOffer(device(example.device), example.person, promptOnce: true, now: noon + example.after)
    #expect(offer.show == example.expected.show)
    #expect(offer.why == example.expected.why)
    #expect(offer.state == example.expected.state)
    #expect((offer.askAgainAt != nil) == (example.expected.why == .coolingDown))
  }
}
