// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// Whether a primer is shown now, and why. Pure.
struct PrimerOffer: Sendable, Hashable {
  let show: Bool
  let why: PrimerReason
  let state: PrimerState
  /// While a "Not now" cools down.
  let askAgainAt: Timestamp?

  init(_ device: DevicePermission, _ person: PersonPrimer?, promptOnce: Bool, now: Timestamp) {
    // A "Not now" holds on the device it was said on, and for the person on every device.
    let until = [device.coolDownUntil, person?.coolDownUntil].compactMap { $0 }.max()
    switch device.status {
    case .allowed: self.init(false, .allowed, .granted)
    case .limited: self.init(false, .limited, .limited)
    case .denied: self.init(false, .denied, .denied)
    case .notAsked, nil:
      let state = device.primer == .notAsked && until != nil ? .notNow : device.primer
      if promptOnce, device.promptUsedAt != nil {
        self.init(false, .promptSpent, state)
      } else if let until, now < until {
        self.init(false, .coolingDown, .notNow, askAgainAt: until)
      } else {
        self.init(true, until == nil ? .notAsked : .coolDownEnded, state)
      }
    }
  }

  private init(_ show: Bool, _ why: PrimerReason, _ state: PrimerState, askAgainAt: Timestamp? = nil) {
    self.show = show
    self.why = why
    self.state = state
    self.askAgainAt = askAgainAt
  }
}
