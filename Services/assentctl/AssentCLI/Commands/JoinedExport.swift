// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SettingsContracts

/// Makes one document of an export's pages, each of which is a whole one.
struct JoinedExport: Sendable {
  private let format: AuditExportFormat
  private var hasEntries = false
  private var isFirst = true

  init(_ format: AuditExportFormat) { self.format = format }

  /// - Returns: what `content` adds to the document.
  mutating func add(_ content: String) -> String {
    defer { isFirst = false }
    switch format {
    case .ndjson, .readable: return content
    case .csv:
      // The header once. It has no quoted cells, so its line ends where the first line does.
      guard !isFirst, let end = content.utf8.firstIndex(of: UInt8(ascii: "\n")) else { return content }
      return String(content[content.utf8.index(after: end)...])
    case .json:
      let inside = content.utf8.drop { $0 != UInt8(ascii: "{") }
      guard let last = inside.lastIndex(of: UInt8(ascii: "}")) else { return isFirst ? "[" : "" }
      let entries = String(Substring(inside[...last]))
      defer { hasEntries = true }
      return (isFirst ? "[" : "") + (hasEntries ? ",\n" : "\n") + entries
    }
  }

  /// What ends the document.
  var end: String { format == .json ? "\n]\n" : "" }
}
