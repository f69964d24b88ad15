// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

public struct PermissionPrimerParams: Codable, Sendable {
  public var accountId: String?
  public var deviceId: String?
  public var kind: PermissionKind
  /// Put into the texts.
  public var appName: String
  public var locale: String?
  public init(
    accountId: String? = nil, deviceId: String? = nil, kind: PermissionKind, appName: String, locale: String? = nil
  ) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.kind = kind
    self.appName = appName
    self.locale = locale
  }
}

/// Whether to show the primer now, and with what words.
public struct PermissionPrimerResult: Codable, Sendable {
  public var show: Bool
  public var why: PrimerReason
  public var state: PrimerState
  public var content: PrimerContent
  /// While a "Not now" cools down: when the primer may be shown again.
  public var askAgainAt: Timestamp?
  public init(
    show: Bool, why: PrimerReason, state: PrimerState, content: PrimerContent, askAgainAt: Timestamp? = nil
  ) {
    self.show = show
    self.why = why
    self.state = state
    self.content = content
    self.askAgainAt = askAgainAt
  }
}

/// Where a primer stands.
public enum PrimerState: String, WireWord {
  /// Nothing happened yet.
  case notAsked
  case shown
  /// Put off by the person, without spending the system's prompt.
  case notNow
  /// The system's prompt was shown; its answer is not known yet.
  case asked
  case granted, limited, denied
}

/// Why the primer is shown or not.
public enum PrimerReason: String, WireWord {
  /// Shown: the system has not asked.
  case notAsked
  /// Shown: a "Not now" has cooled down.
  case coolDownEnded
  /// Not shown: a "Not now" still cools down.
  case coolingDown
  /// Not shown: the system has its answer.
  case allowed, limited, denied
  /// Not shown: this device's one prompt was used, and no answer is known.
  case promptSpent
}

/// What happened around a primer.
public enum PrimerEvent: String, WireWord {
  case shown, notNow, asked, granted, limited, denied, openedSettings
}

public struct PermissionRecordParams: Codable, Sendable {
  public var accountId: String?
  public var deviceId: String?
  public var kind: PermissionKind
  public var event: PrimerEvent
  public init(accountId: String? = nil, deviceId: String? = nil, kind: PermissionKind, event: PrimerEvent) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.kind = kind
    self.event = event
  }
}

/// Where the primer stands after an event.
public struct PermissionRecordResult: Codable, Sendable {
  public var kind: PermissionKind
  public var state: PrimerState
  /// Whether the primer would be shown now.
  public var show: Bool
  public var why: PrimerReason
  public var askAgainAt: Timestamp?
  public var status: PermissionStatus
  /// True when the event could not follow from the state before. It is kept all the same.
  public var flagged: Bool
  public var revision: Int64
  public var entryId: String?
  public init(
    kind: PermissionKind, state: PrimerState, show: Bool, why: PrimerReason, askAgainAt: Timestamp?,
    status: PermissionStatus, flagged: Bool, revision: Int64, entryId: String? = nil
  ) {
    self.kind = kind
    self.state = state
    self.show = show
    self.why = why
    self.askAgainAt = askAgainAt
    self.status = status
    self.flagged = flagged
    self.revision = revision
    self.entryId = entryId
  }
}
