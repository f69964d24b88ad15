// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A page of metrics in Prometheus's text format, version 0.0.4, as it is put together.
///
/// Source: Prometheus, "Exposition formats", text-based format.
struct Exposition {
  private(set) var text = ""

  mutating func head(_ name: String, kind: String, help: String) {
    text += "# HELP \(name) \(Exposition.escape(help, quotes: false))\n# TYPE \(name) \(kind)\n"
  }

  /// - Parameter labels: as `Exposition.labels` made them.
  mutating func sample(_ name: String, _ labels: String, _ value: Double) {
    text += name
    if !labels.isEmpty { text += "{\(labels)}" }
    text += " \(Exposition.number(value))\n"
  }

  /// - Parameter counts: not cumulative; one more than bounds.
  mutating func histogram(_ name: String, _ labels: String, bounds: [Double], counts: [Int], sum: Double) {
    let open = labels.isEmpty ? "{" : "{\(labels),"
    var seen = 0
    for (index, count) in counts.enumerated() {
      seen += count
      let bound = index < bounds.count ? Exposition.number(bounds[index]) : "+Inf"
      text += "\(name)_bucket\(open)le=\"\(bound)\"} \(seen)\n"
    }
    sample(name + "_sum", labels, sum)
    sample(name + "_count", labels, Double(seen))
  }

  static func labels(_ labels: [(String, String)]) -> String {
    labels.map { "\($0)=\"\(escape($1, quotes: true))\"" }.joined(separator: ",")
  }

  static func number(_ value: Double) -> String {
    if value == value.rounded(), abs(value) < 1e15 { return String(Int64(value)) }
    if value.isNaN { return "NaN" }
    return value.isInfinite ? (value > 0 ? "+Inf" : "-Inf") : "\(value)"
  }

  private static func escape(_ value: String, quotes: Bool) -> String {
    var text = ""
    // By scalars: a carriage return before a newline makes one character of both.
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\"" where quotes: text += "\\\""
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
