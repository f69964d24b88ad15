// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A way to reach a person.
public enum NotificationChannel: String, WireWord {
  case push, email, sms
}

/// How often e-mail is gathered into one.
public enum NotificationDigest: String, WireWord {
  case off, daily, weekly
}

/// What a device's operating system lets the app show.
public enum NotificationAuthorization: String, WireWord {
  case allowed
  /// Delivered without sound or banner.
  case quiet
  case denied, notDetermined

  /// The status card's title.
  public var title: String {
    switch self {
    case .allowed: "Allowed"
    case .quiet: "Delivered quietly"
    case .denied: "Turned off in Settings"
    case .notDetermined: "Notifications are off"
    }
  }

  /// The status card's button, if it has one.
  public var action: NotificationStatusAction? {
    switch self {
    case .allowed: nil
    case .quiet, .notDetermined: .turnOn
    case .denied: .openSettings
    }
  }
}

public enum NotificationStatusAction: String, WireWord {
  case turnOn, openSettings
}
