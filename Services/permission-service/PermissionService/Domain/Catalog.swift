// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// The permissions an app uses, in the order it lists them, with their texts in every language it gave.
struct Catalog: Sendable, Hashable {
  /// 0 for the built-in one.
  var revision: Int64
  var kinds: [PermissionPublishCatalogParams.Kind]

  /// What an app has until it publishes its own: every kind, with the built-in texts.
  static let builtIn = Catalog(
    revision: 0, kinds: PermissionKind.allCases.map { PermissionPublishCatalogParams.Kind(kind: $0) })

  /// In one language; what the app left out is taken from the built-in texts.
  func localized(_ locale: String?) -> [PermissionCatalogResult.Kind] { kinds.map { Catalog.localized($0, locale) } }

  /// One kind in one language, also when the app does not list it: the device's system knows it all the same.
  func localized(_ kind: PermissionKind, _ locale: String?) -> PermissionCatalogResult.Kind {
    Catalog.localized(kinds.first { $0.kind == kind } ?? .init(kind: kind), locale)
  }

  private static func localized(
    _ entry: PermissionPublishCatalogParams.Kind, _ locale: String?
  ) -> PermissionCatalogResult.Kind {
    let standard = BuiltInTexts.texts(of: entry.kind)
    let texts = LanguageTag.best(for: locale, among: entry.texts ?? [], locale: \.locale)
    return PermissionCatalogResult.Kind(
      kind: entry.kind, name: texts?.name ?? standard.name, symbol: entry.symbol ?? standard.symbol,
      reason: texts?.reason ?? standard.reason, limited: texts?.limited ?? standard.limited,
      promptOnce: entry.promptOnce ?? true, primer: texts?.primer ?? standard.primer)
  }
}

extension PermissionPublishCatalogParams {
  /// - Throws: INVALID_PARAMS that names the member.
  func check() throws(RPCError) {
    guard 1...PermissionKind.allCases.count ~= kinds.count else {
      throw .invalidParams("kinds", "\(kinds.count) are not in 1...\(PermissionKind.allCases.count)")
    }
    for (index, entry) in kinds.enumerated() {
      let path = "kinds[\(index)]"
      guard !kinds[..<index].contains(where: { $0.kind == entry.kind }) else {
        throw .invalidParams("\(path).kind", "\(entry.kind) is listed twice")
      }
      if let symbol = entry.symbol { try TextRule.check(symbol, "\(path).symbol", 1...100) }
      for (index, texts) in (entry.texts ?? []).enumerated() {
        guard index < 100 else { throw .invalidParams("\(path).texts", "more than 100") }
        guard !entry.texts![..<index].contains(where: { $0.locale.lowercased() == texts.locale.lowercased() }) else {
          throw .invalidParams("\(path).texts[\(index)].locale", "is listed twice")
        }
        try texts.check("\(path).texts[\(index)]")
      }
    }
  }
}

extension PermissionPublishCatalogParams.Texts {
  fileprivate func check(_ path: String) throws(RPCError) {
    try LanguageTag.check(locale, "\(path).locale")
    if let name { try TextRule.check(name, "\(path).name", 1...60) }
    if let reason { try TextRule.check(reason, "\(path).reason", 1...200) }
    if let limited { try TextRule.check(limited, "\(path).limited", 1...60) }
    try primer?.check("\(path).primer")
  }
}

extension PrimerContent {
  fileprivate func check(_ path: String) throws(RPCError) {
    try TextRule.check(symbol, "\(path).symbol", 1...100)
    try TextRule.check(title, "\(path).title", 1...100)
    try TextRule.check(reason, "\(path).reason", 1...300)
    guard 2...3 ~= benefits.count else {
      throw .invalidParams("\(path).benefits", "\(benefits.count) are not in 2...3")
    }
    for (index, benefit) in benefits.enumerated() {
      try TextRule.check(benefit.symbol, "\(path).benefits[\(index)].symbol", 1...100)
      try TextRule.check(benefit.title, "\(path).benefits[\(index)].title", 1...100)
      try TextRule.check(benefit.detail, "\(path).benefits[\(index)].detail", 1...200)
    }
    try TextRule.check(continueTitle, "\(path).continueTitle", 1...60)
    try TextRule.check(alert.title, "\(path).alert.title", 1...200)
    try TextRule.check(alert.message, "\(path).alert.message", 0...300)
    guard 1...4 ~= alert.buttons.count else {
      throw .invalidParams("\(path).alert.buttons", "\(alert.buttons.count) are not in 1...4")
    }
    for (index, button) in alert.buttons.enumerated() {
      try TextRule.check(button, "\(path).alert.buttons[\(index)]", 1...60)
    }
    for (name, outcome) in [("granted", granted), ("denied", denied)] {
      try TextRule.check(outcome.title, "\(path).\(name).title", 1...100)
      try TextRule.check(outcome.line, "\(path).\(name).line", 1...300)
    }
  }

  /// With the app's name in every `{appName}`.
  func naming(_ app: String) -> PrimerContent {
    func named(_ text: String) -> String {
      let pieces = text.split(separator: "{", omittingEmptySubsequences: false)
      return pieces.dropFirst().reduce(into: String(pieces[0])) { text, piece in
        if piece.hasPrefix("appName}") { text += app + piece.dropFirst("appName}".count) } else { text += "{" + piece }
      }
    }
    func named(_ outcome: Outcome) -> Outcome { Outcome(title: named(outcome.title), line: named(outcome.line)) }
    return PrimerContent(
      symbol: symbol, title: named(title), reason: named(reason),
      benefits: benefits.map { Benefit(symbol: $0.symbol, title: named($0.title), detail: named($0.detail)) },
      continueTitle: named(continueTitle),
      alert: Alert(title: named(alert.title), message: named(alert.message), buttons: alert.buttons.map(named)),
      granted: named(granted), denied: named(denied))
  }
}
