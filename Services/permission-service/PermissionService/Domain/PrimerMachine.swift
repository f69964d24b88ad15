// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// What an event does to a primer. Pure; every event has an outcome.
///
/// A step that the state before does not allow is flagged. If it tells what the system did (`asked`, `granted`,
/// `limited`, `denied`) the state follows all the same, since the system is right; if it tells what the app showed, only
/// a "Not now" is heeded, for the person's sake.
enum PrimerMachine {
  /// How long a "Not now" keeps the primer away.
  static let coolDownMilliseconds: Int64 = 7 * 24 * 3600 * 1000

  struct Outcome: Sendable, Hashable {
    var device: DevicePermission
    var person: PersonPrimer?
    /// The step was impossible.
    var isFlagged: Bool
    /// Whether the system's status, or its detail, changed.
    var changedStatus: Bool
  }

  /// - Parameter person: where somebody is signed in.
  static func apply(
    _ event: PrimerEvent, to device: DevicePermission, _ person: PersonPrimer?, promptOnce: Bool, now: Timestamp
  ) -> Outcome {
    var next = Outcome(
      device: device, person: person,
      isFlagged: !isPossible(event, device, person, promptOnce: promptOnce, now: now), changedStatus: false)
    switch event {
    case .shown: if !next.isFlagged { next.reach(.shown) }
    case .notNow:
      switch device.primer {
      case .notAsked, .shown, .notNow: next.reach(.notNow, coolDownUntil: now + coolDownMilliseconds)
      case .asked, .granted, .limited, .denied: break
      }
    case .asked:
      next.device.promptUsedAt = now
      // The answer that is known stays known until the system gives another.
      if ![.granted, .limited, .denied].contains(device.primer) || !next.isFlagged { next.reach(.asked) }
    case .granted: next.hear(.allowed, now)
    case .limited: next.hear(.limited, now)
    case .denied: next.hear(.denied, now)
    case .openedSettings: break
    }
    return next
  }

  private static func isPossible(
    _ event: PrimerEvent, _ device: DevicePermission, _ person: PersonPrimer?, promptOnce: Bool, now: Timestamp
  ) -> Bool {
    let isSettled = [.granted, .limited, .denied].contains(device.primer)
    return switch event {
    case .shown: PrimerOffer(device, person, promptOnce: promptOnce, now: now).show
    case .notNow: device.primer == .shown
    // A permission can be asked for without a primer, from the list of permissions.
    case .asked: device.primer != .granted && (device.promptUsedAt == nil || !promptOnce)
    // From an answer to another one by way of the system's settings.
    case .granted, .limited, .denied: device.primer == .asked || isSettled
    case .openedSettings: isSettled
    }
  }
}

extension PrimerMachine.Outcome {
  fileprivate mutating func reach(_ state: PrimerState, coolDownUntil: Timestamp? = nil) {
    device.primer = state
    device.coolDownUntil = coolDownUntil
    if person != nil { person = PersonPrimer(state: state, coolDownUntil: coolDownUntil) }
  }

  fileprivate mutating func hear(_ status: PermissionStatus, _ now: Timestamp) {
    let before = device.status
    // A detail belongs to the report that brought it.
    _ = device.take(status, detail: before == status ? device.detail : nil, at: max(now, device.reportedAt ?? now))
    changedStatus = before != status
    if person != nil { person = PersonPrimer(state: device.primer) }
  }
}
