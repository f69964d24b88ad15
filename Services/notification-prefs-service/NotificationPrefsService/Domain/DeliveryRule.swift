// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts
internal import TimeZones

/// Whether a notification may be sent, and why. Pure: the record, the catalog, the devices, the consent and the moment
/// go in, and nothing else counts.
///
/// In order: the person's choice; the consent that the category needs; for push, what the devices show; then what is
/// critical passes; e-mail goes into the digest where there is one; quiet hours hold the rest.
struct DeliveryRule: Sendable {
  var preferences: Preferences
  var category: Catalog.Category
  var channel: NotificationChannel
  /// The devices meant, by what their system shows. Looked at for push only.
  var devices: [NotificationDecision.Device]
  /// Of the account.
  var zone: TimeZone

  /// Nil when the answer does not depend on consent; else the consent category to ask for.
  var neededConsent: String? { refusal == nil ? category.consentCategory : nil }

  /// - Parameter consent: whether `neededConsent` is granted; not looked at when that is nil.
  func decide(consent: Bool, now: Timestamp) -> NotificationDecision {
    if let refusal { return refusal }
    if neededConsent != nil, !consent {
      return NotificationDecision(action: .suppress, reason: .consent, level: .consent)
    }
    var shown: [NotificationDecision.Device]?
    if channel == .push {
      let willing = devices.filter { $0.authorization == .allowed || $0.authorization == .quiet }
      guard !willing.isEmpty else {
        let isDenied = devices.contains { $0.authorization == .denied }
        return NotificationDecision(
          action: .suppress, reason: isDenied ? .notificationsDenied : .notificationsNotDetermined, level: .device)
      }
      shown = willing
    }
    if category.isCritical {
      return NotificationDecision(action: .deliver, reason: .critical, level: .catalog, devices: shown)
    }
    // Boundaries are whole seconds, so the second a moment lies in decides like the moment.
    let second = now.flooredSeconds
    let quiet = QuietSchedule(preferences.quietHours, in: zone)
    if channel == .email,
      let until = DigestSchedule(digest: preferences.digest, zone: zone, quiet: quiet).next(after: second)
    {
      return NotificationDecision(
        action: .digest, until: Timestamp(milliseconds: until * 1000),
        reason: preferences.digest == .daily ? .dailyDigest : .weeklyDigest, level: .digest)
    }
    if let until = quiet?.end(at: second) {
      return NotificationDecision(
        action: .hold, until: Timestamp(milliseconds: until * 1000), reason: .quietHours, level: .quietHours,
        devices: shown)
    }
    return NotificationDecision(action: .deliver, reason: .channelOn, level: choiceLevel, devices: shown)
  }

  /// The choice against the channel, if that is what it is.
  private var refusal: NotificationDecision? {
    let on = preferences.on(category)
    guard !on.contains(channel) else { return nil }
    return NotificationDecision(
      action: .suppress, reason: on.isEmpty ? .categoryOff : .channelOff, level: choiceLevel)
  }

  private var choiceLevel: NotificationDecision.Level { preferences.isChosen(category) ? .category : .catalog }
}

extension Timestamp {
  /// Whole seconds since 1970, rounded toward the past.
  var flooredSeconds: Int64 { milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000 }
}
