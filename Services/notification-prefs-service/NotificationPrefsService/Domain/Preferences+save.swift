// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

extension Preferences {
  /// The whole of a screen. What it holds is chosen from now on, also where it is as by default.
  /// - Parameter accountZone: quiet hours in it follow the account.
  /// - Throws: INVALID_PARAMS that names the member; FAILED_PRECONDITION for a critical category without a channel.
  func saving(
    _ screen: NotificationSaveParams.Preferences, _ catalog: Catalog, accountZone: String
  ) throws(RPCError) -> Preferences {
    var saved = self
    for (index, entry) in screen.categories.enumerated() {
      let path = "preferences.categories[\(index)]"
      let category = try catalog.category(entry.id, "\(path).id")
      guard !screen.categories[..<index].contains(where: { $0.id == entry.id }) else {
        throw .invalidParams("\(path).id", "\(entry.id) is listed twice")
      }
      for (index, channel) in entry.on.enumerated() {
        try category.checkOffers(channel, "\(path).on[\(index)]")
        guard !entry.on[..<index].contains(channel) else {
          throw .invalidParams("\(path).on[\(index)]", "\(channel) is listed twice")
        }
      }
      saved.set(category, entry.on)
      try saved.checkCritical(category, "\(path).on")
    }
    saved.quietHours = screen.quietHours
    if saved.quietHours.timeZone == accountZone { saved.quietHours.timeZone = nil }
    saved.digest = screen.digest
    return saved
  }

  /// Single changes.
  /// - Throws: as `saving`.
  func updating(
    _ change: NotificationUpdateParams, _ catalog: Catalog, accountZone: String
  ) throws(RPCError) -> Preferences {
    var updated = self
    for (id, channels) in (change.set ?? [:]).sorted(by: { $0.key < $1.key }) {
      let category = try catalog.category(id, "set")
      var on = Set(updated.on(category))
      for (word, isOn) in channels.sorted(by: { $0.key < $1.key }) {
        guard let channel = NotificationChannel(rawValue: word) else {
          // Any other text could be anybody's, and is not echoed.
          let isWord = CategoryID.isWellFormed(word)
          throw .invalidParams(
            isWord ? "set.\(id).\(word)" : "set.\(id)",
            "\(isWord ? word : "the channel") is not offered by \(id); "
              + "it offers \(category.channels.map(\.rawValue).joined(separator: ", "))")
        }
        try category.checkOffers(channel, "set.\(id).\(channel)")
        if isOn { on.insert(channel) } else { on.remove(channel) }
      }
      updated.set(category, Array(on))
      try updated.checkCritical(category, "set.\(id)")
    }
    for (id, isOn) in (change.toggle ?? [:]).sorted(by: { $0.key < $1.key }) {
      let category = try catalog.category(id, "toggle")
      guard change.set?[id] == nil else { throw .invalidParams("toggle.\(id)", "\(id) is in set as well") }
      updated.toggle(category, isOn)
      try updated.checkCritical(category, "toggle.\(id)")
    }
    if let hours = change.quietHours {
      if let isOn = hours.isOn { updated.quietHours.isOn = isOn }
      if let from = hours.from { updated.quietHours.from = from }
      if let to = hours.to { updated.quietHours.to = to }
      if let zone = hours.timeZone { updated.quietHours.timeZone = zone == accountZone ? nil : zone }
    }
    if let digest = change.digest { updated.digest = digest }
    return updated
  }

  private func checkCritical(_ category: Catalog.Category, _ field: String) throws(RPCError) {
    guard category.isCritical, choices[category.id]?.on.isEmpty == true else { return }
    throw .failedPrecondition(
      "\(field): \(category.id) is critical and cannot be turned off", reason: "criticalCategory", field: field)
  }
}

extension Catalog {
  /// - Throws: INVALID_PARAMS that names the category, if it can be one, and those there are.
  func category(_ id: String, _ field: String) throws(RPCError) -> Category {
    guard let category = self[id] else {
      let name = CategoryID.isWellFormed(id) ? id : "the category"
      throw .invalidParams(
        field, "\(name) is not in the catalog; it has \(categories.map(\.id).joined(separator: ", "))")
    }
    return category
  }
}

extension Catalog.Category {
  /// - Throws: INVALID_PARAMS that names channel and category.
  func checkOffers(_ channel: NotificationChannel, _ field: String) throws(RPCError) {
    guard channels.contains(channel) else {
      throw .invalidParams(
        field, "\(channel) is not offered by \(id); it offers \(channels.map(\.rawValue).joined(separator: ", "))")
    }
  }
}
