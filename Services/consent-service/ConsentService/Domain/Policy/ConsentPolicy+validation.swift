// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

extension ConsentPolicy {
  /// Checks what the types cannot say.
  /// - Throws: -32602 that names the member and what is allowed.
  func validate(knownRegulations: [String]) throws(RPCError) {
    guard (1...Int(Int32.max)).contains(version) else {
      throw .invalidParams("version", "\(version) is not in 1...\(Int32.max)")
    }
    try Self.checkDays(maxAgeDays, "maxAgeDays")
    try Self.checkDays(reAskDays, "reAskDays")
    guard (1...50).contains(categories.count) else {
      throw .invalidParams("categories", "\(categories.count) categories; 1 to 50 are allowed")
    }
    var ids = Set<String>()
    for (index, category) in categories.enumerated() {
      let path = "categories[\(index)]"
      guard CategoryName.isValid(category.id) else {
        throw .invalidParams("\(path).id", "not 1 to 64 of A-Z a-z 0-9 . _ -")
      }
      guard ids.insert(category.id).inserted else {
        throw .invalidParams("\(path).id", "\(category.id) is there twice")
      }
      try category.validate(path, knownRegulations)
    }
    guard (1...50).contains(notices.count) else {
      throw .invalidParams("notices", "\(notices.count) notices; 1 to 50 are allowed")
    }
    try Self.checkLocales(notices.map(\.locale), "notices")
    for (index, notice) in notices.enumerated() {
      try TextRule.check(notice.title, "notices[\(index)].title", 1...200)
      try Self.checkParagraphs(notice.text, "notices[\(index)].text", 1...20_000)
    }
  }

  fileprivate static func checkDays(_ days: Int?, _ path: String) throws(RPCError) {
    guard let days else { return }
    guard (1...3650).contains(days) else { throw .invalidParams(path, "\(days) is not in 1...3650") }
  }

  fileprivate static func checkLocales(_ locales: [String], _ path: String) throws(RPCError) {
    var seen = Set<String>()
    for (index, locale) in locales.enumerated() {
      try LanguageTag.check(locale, "\(path)[\(index)].locale")
      guard seen.insert(locale.lowercased()).inserted else {
        throw .invalidParams("\(path)[\(index)].locale", "\(locale) is there twice")
      }
    }
  }

  /// As `TextRule`, but with line breaks: a notice has paragraphs.
  fileprivate static func checkParagraphs(
    _ text: String, _ path: String, _ lengths: ClosedRange<Int>
  ) throws(RPCError) {
    try TextRule.check(String(text.map { $0 == "\n" ? " " : $0 }), path, lengths)
  }
}

extension ConsentPolicy.Category {
  fileprivate func validate(_ path: String, _ knownRegulations: [String]) throws(RPCError) {
    try TextRule.check(legalBasis, "\(path).legalBasis", 1...64)
    guard Set(uses).count == uses.count else { throw .invalidParams("\(path).uses", "a use is there twice") }
    // Nobody is asked for a required category, so it must not do what the regulations want a choice for.
    guard !required || uses.isEmpty else {
      throw .invalidParams("\(path).uses", "a required category has no uses that need a choice")
    }
    if let recipients {
      guard recipients.count <= 200 else { throw .invalidParams("\(path).recipients", "more than 200") }
      for (index, recipient) in recipients.enumerated() {
        try TextRule.check(recipient, "\(path).recipients[\(index)]", 1...200)
      }
    }
    if let retention { try TextRule.check(retention, "\(path).retention", 1...500) }
    if let regulations {
      guard !required else {
        throw .invalidParams("\(path).regulations", "a required category exists everywhere")
      }
      guard !regulations.isEmpty, Set(regulations).count == regulations.count,
        regulations.allSatisfy(knownRegulations.contains)
      else {
        throw .invalidParams(
          "\(path).regulations", "must name one or more of \(knownRegulations.joined(separator: ", ")), each once")
      }
    }
    guard (1...50).contains(texts.count) else {
      throw .invalidParams("\(path).texts", "\(texts.count) texts; 1 to 50 are allowed")
    }
    try ConsentPolicy.checkLocales(texts.map(\.locale), "\(path).texts")
    for (index, text) in texts.enumerated() {
      try TextRule.check(text.displayName, "\(path).texts[\(index)].displayName", 1...100)
      try ConsentPolicy.checkParagraphs(text.explanation, "\(path).texts[\(index)].explanation", 1...2000)
    }
  }
}

/// The ids of categories.
enum CategoryName {
  /// 1 to 64 of `A-Z a-z 0-9 . _ -`: safe to echo.
  static func isValid(_ id: String) -> Bool {
    (1...64).contains(id.utf8.count)
      && id.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  /// The complaint about a category that does not exist. Echoes ids only, never any text.
  static func unknown(_ id: String, _ field: String, known: [String]) -> RPCError {
    let named = isValid(id) ? "no category \(id)" : "not the id of a category"
    return .invalidParams(field, "\(named); there are \(known.joined(separator: ", "))")
  }
}
