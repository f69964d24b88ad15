// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// What is known of one permission on one device: the system's word, the prompt's budget, and where the primer stands.
struct DevicePermission: Codable, Sendable, Hashable {
  let kind: PermissionKind
  /// Nil until the system was first heard.
  var status: PermissionStatus?
  var detail: String?
  /// Of the newest report taken.
  var reportedAt: Timestamp?
  /// Since when the status is what it is.
  var changedAt: Timestamp?
  /// When the system's prompt was used on this device, whoever was signed in; nil while it is still there.
  var promptUsedAt: Timestamp?
  var primer = PrimerState.notAsked
  /// Until then a "Not now" said on this device cools down.
  var coolDownUntil: Timestamp?

  init(_ kind: PermissionKind) { self.kind = kind }

  /// What became of a report.
  enum Reception: Sendable, Hashable {
    /// The status or its detail is another one now.
    case changed
    /// The system says what it said before.
    case confirmed
    /// Older than what is known: nothing changed.
    case outdated
  }

  /// Takes what the system says. It is right, whatever the primer thought.
  /// - Parameter at: when it said so.
  mutating func take(_ reported: PermissionStatus, detail reportedDetail: String?, at: Timestamp) -> Reception {
    if let reportedAt, at < reportedAt { return .outdated }
    reportedAt = at
    let before = (status, detail, promptUsedAt, primer)
    if status != reported { changedAt = at }
    (status, detail) = (reported, reportedDetail)
    switch reported {
    case .allowed, .limited, .denied:
      // Quiet notifications are given without the prompt.
      if promptUsedAt == nil, !(kind == .notifications && reported == .limited) { promptUsedAt = at }
      coolDownUntil = nil
      primer = PrimerState(reported)
    case .notAsked:
      // The system would ask again: after a reset of its settings, or a prompt that was never answered.
      promptUsedAt = nil
      if ![.notAsked, .shown, .notNow].contains(primer) { primer = .notAsked }
    }
    return before == (status, detail, promptUsedAt, primer) ? .confirmed : .changed
  }
}

extension PrimerState {
  /// Where the primer stands once the system has spoken.
  init(_ status: PermissionStatus) {
    self =
      switch status {
      case .allowed: .granted
      case .limited: .limited
      case .denied: .denied
      case .notAsked: .notAsked
      }
  }
}

/// Where a person stands with one permission's primer, on whichever device.
struct PersonPrimer: Codable, Sendable, Hashable {
  var state = PrimerState.notAsked
  /// Until then the person's last "Not now" cools down, on every device of theirs.
  var coolDownUntil: Timestamp?
}
