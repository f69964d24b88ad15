// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing
import TimeZones

@testable import NotificationPrefsService

/// The moment of an ISO 8601 text.
func at(_ text: String) -> Timestamp { Timestamp(text)! }

func zone(_ name: String) throws -> TimeZone { try #require(TimeZoneDatabase.system.zone(named: name)) }

/// `22:00` to `07:00`, on.
func quiet(_ from: String, _ to: String, timeZone: String? = nil) -> QuietHours {
  func time(_ text: String) -> TimeOfDay {
    let parts = text.split(separator: ":").map { Int($0)! }
    return TimeOfDay(hour: parts[0], minute: parts[1])
  }
  return QuietHours(isOn: true, from: time(from), to: time(to), timeZone: timeZone)
}

extension Catalog {
  /// One category of each sort.
  static let example = Catalog(
    revision: 1,
    categories: builtIn.categories + [
      Category(
        id: "security", texts: [.init(locale: "en", title: "Security")], channels: [.push, .email], critical: true),
      Category(
        id: "offers", texts: [.init(locale: "en", title: "Offers")], channels: [.push, .email],
        defaultOn: [.push, .email], commercial: true, consentCategory: "marketing"),
    ])
}
