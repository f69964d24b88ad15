// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

extension NotificationPublishCatalogParams {
  /// - Throws: INVALID_PARAMS that names the member, also for what could never take effect.
  func check() throws(RPCError) {
    guard 1...100 ~= categories.count else {
      throw .invalidParams("categories", "\(categories.count) are not in 1...100")
    }
    for (index, category) in categories.enumerated() {
      let path = "categories[\(index)]"
      guard CategoryID.isWellFormed(category.id) else { throw .invalidParams("\(path).id", CategoryID.rule) }
      guard !categories[..<index].contains(where: { $0.id == category.id }) else {
        throw .invalidParams("\(path).id", "\(category.id) is listed twice")
      }
      try category.check(path)
    }
  }

  /// - Parameter known: the categories of consent-service.
  /// - Throws: INVALID_PARAMS for a category that depends on another consent.
  func checkConsents(_ known: [String]) throws(RPCError) {
    for (index, category) in categories.enumerated() {
      guard let consent = category.consentCategory, !known.contains(consent) else { continue }
      throw .invalidParams(
        "categories[\(index)].consentCategory",
        "consent-service has no category \(consent); it has \(known.joined(separator: ", "))")
    }
  }
}

extension NotificationPublishCatalogParams.Category {
  fileprivate func check(_ path: String) throws(RPCError) {
    guard 1...100 ~= texts.count else { throw .invalidParams("\(path).texts", "\(texts.count) are not in 1...100") }
    for (index, text) in texts.enumerated() {
      try LanguageTag.check(text.locale, "\(path).texts[\(index)].locale")
      guard !texts[..<index].contains(where: { $0.locale.lowercased() == text.locale.lowercased() }) else {
        throw .invalidParams("\(path).texts[\(index)].locale", "is listed twice")
      }
      try TextRule.check(text.title, "\(path).texts[\(index)].title", 1...60)
      if let detail = text.detail { try TextRule.check(detail, "\(path).texts[\(index)].detail", 1...200) }
    }
    if let symbol { try TextRule.check(symbol, "\(path).symbol", 1...100) }
    guard !channels.isEmpty, Set(channels).count == channels.count else {
      throw .invalidParams("\(path).channels", "must be one or more of \(NotificationChannel.allowedWords), each once")
    }
    if let consentCategory, !CategoryID.isWellFormed(consentCategory) {
      throw .invalidParams("\(path).consentCategory", CategoryID.rule)
    }
    for channel in defaultOn ?? [] where !channels.contains(channel) {
      throw .invalidParams("\(path).defaultOn", "\(channel) is not among the channels that \(id) offers")
    }
    guard isCritical else { return }
    if commercial == true { throw .invalidParams("\(path).commercial", "a critical category cannot be commercial") }
    if consentCategory != nil {
      throw .invalidParams("\(path).consentCategory", "a critical category cannot depend on consent")
    }
    if defaults.isEmpty { throw .invalidParams("\(path).defaultOn", "a critical category needs a channel that is on") }
  }
}

/// The names of categories.
enum CategoryID {
  static let rule = "must be 1 to 64 of A-Z a-z 0-9 . _ -"

  static func isWellFormed(_ id: String) -> Bool {
    1...64 ~= id.utf8.count
      && id.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}
