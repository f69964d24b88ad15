// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// An entry as a person reads it: `[2026-01-02 03:04:05 UTC] Granted Analytics (Regulation: GDPR, App: 2.1.0)`.
enum ReadableLine {
  static func text(_ entry: AuditEntry) -> String {
    let facts = "Regulation: \(regulation(entry.regulation)), App: \(oneLine(entry.appVersion ?? "—"))"
    return "[\(date(entry.timestamp))] \(action(entry)) (\(facts))"
  }

  private static func date(_ timestamp: Timestamp) -> String {
    let text = timestamp.description  // 2026-01-02T03:04:05.678Z
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
  }

  /// `Granted Analytics` for a decision; the words of the kind for anything else: `Account renamed`.
  private static func action(_ entry: AuditEntry) -> String {
    guard let category = entry.category, let status = entry.status else { return words(entry.kind) }
    let verb =
      switch status {
      case "granted": "Granted"
      case "denied": "Denied"
      case "notDetermined": "Reset"
      default: words(status)
      }
    return "\(verb) \(title(category))"
  }

  private static func regulation(_ id: String?) -> String {
    guard let id else { return "—" }
    return ["gdpr", "ccpa", "dpdp"].contains(id) ? id.uppercased() : oneLine(id)
  }

  /// `productNews` → `Product News`.
  private static func title(_ id: String) -> String {
    split(id).map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
  }

  /// `account.photoChanged` → `Account photo changed`.
  private static func words(_ id: String) -> String {
    let text = split(id).map { $0.lowercased() }.joined(separator: " ")
    return text.prefix(1).uppercased() + text.dropFirst()
  }

  /// Words of an identifier: at dots, dashes and underscores, and before capitals.
  private static func split(_ id: String) -> [String] {
    var words: [String] = [""]
    for character in oneLine(id) {
      if ".-_ ".contains(character) {
        words.append("")
      } else if character.isUppercase, words[words.count - 1].last?.isLowercase == true {
        words.append(String(character))
      } else {
        words[words.count - 1].append(character)
      }
    }
    return words.filter { !$0.isEmpty }
  }

  /// Text of a client's must not start a line of its own, nor make the line read as another.
  private static func oneLine(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for character in text {
      if character.isNewline {
        line.append(" ")
      } else {
        line.append(contentsOf: character.unicodeScalars.map { TextRule.isDisguise($0) ? "\u{FFFD}" : $0 })
      }
    }
    return String(line)
  }
}
