// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// The stored form of decisions: `analytics granted 1767225600000 1 save` and, where there is more to say, marks after it
/// (`outdated`, `optedOut=1767225600000`, `refusedBefore`, `gpcConfirmed`); joined by `;`.
///
/// Every check reads them, thousands of times a second. Read as JSON objects they cost more than all the rest of a check;
/// read like this they cost next to nothing.
extension Decision {
  static func write(_ decisions: [Decision], to text: JSONText) {
    for (index, decision) in decisions.enumerated() {
      if index > 0 { text.add(plain: ";") }
      decision.write(to: text)
    }
  }

  /// - Returns: nil when `text` is not what `write(_:to:)` writes.
  static func parse(_ text: String) -> [Decision]? {
    guard !text.isEmpty else { return [] }
    var text = text
    return text.withUTF8 { bytes in
      guard bytes[bytes.count - 1] != UInt8(ascii: ";") else { return nil }
      var decisions: [Decision] = []
      decisions.reserveCapacity(8)
      var fields = Fields(bytes: bytes)
      while true {
        guard let decision = Decision(&fields) else { return nil }
        decisions.append(decision)
        if fields.isAtEnd { return decisions }
      }
    }
  }

  private func write(to text: JSONText) {
    text.add(category)
    text.add(plain: " ")
    text.add(status.rawValue)
    text.add(plain: " ")
    text.add(at)
    text.add(plain: " ")
    text.add(Int64(version))
    text.add(plain: " ")
    text.add(method.rawValue)
    if outdated == true { text.add(plain: " outdated") }
    if let optedOutAt {
      text.add(plain: " optedOut=")
      text.add(optedOutAt)
    }
    if refusedBefore == true { text.add(plain: " refusedBefore") }
    if gpcConfirmed == true { text.add(plain: " gpcConfirmed") }
  }

  /// The next decision, its `;` included.
  private init?(_ fields: inout Fields) {
    guard let category = fields.next().map(Fields.string), let statusText = fields.next().map(Fields.string),
      let status = Status(rawValue: statusText), let at = fields.next().flatMap(Fields.integer),
      let version = fields.next().flatMap(Fields.integer), let methodText = fields.next().map(Fields.string),
      let method = ConsentMethod(rawValue: methodText)
    else { return nil }
    self.init(category: category, status: status, at: at, version: Int(version), method: method)
    while let mark = fields.next() {
      switch Fields.string(mark) {
      case "outdated": outdated = true
      case "refusedBefore": refusedBefore = true
      case "gpcConfirmed": gpcConfirmed = true
      case let other:
        guard other.utf8.starts(with: "optedOut=".utf8), let moment = Int64(other.dropFirst(9)) else { return nil }
        optedOutAt = moment
      }
    }
    fields.endDecision()
  }

  /// Walks the fields of one decision after the other.
  private struct Fields {
    let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }

    /// The next field of this decision, or nil at its end.
    mutating func next() -> UnsafeBufferPointer<UInt8>? {
      guard position < bytes.count, bytes[position] != UInt8(ascii: ";") else { return nil }
      let start = position
      while position < bytes.count, bytes[position] != UInt8(ascii: " "), bytes[position] != UInt8(ascii: ";") {
        position += 1
      }
      let field = UnsafeBufferPointer(rebasing: bytes[start..<position])
      if position < bytes.count, bytes[position] == UInt8(ascii: " ") { position += 1 }
      return field
    }

    /// Goes past the `;` before the next decision.
    mutating func endDecision() {
      if position < bytes.count { position += 1 }
    }

    static func string(_ field: UnsafeBufferPointer<UInt8>) -> String { String(decoding: field, as: UTF8.self) }

    static func integer(_ field: UnsafeBufferPointer<UInt8>) -> Int64? {
      guard (1...18).contains(field.count) else { return nil }
      let isNegative = field[0] == UInt8(ascii: "-")
      var value: Int64 = 0
      for byte in field.dropFirst(isNegative ? 1 : 0) {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        value = value * 10 + Int64(byte - UInt8(ascii: "0"))
      }
      return isNegative ? -value : value
    }
  }
}
