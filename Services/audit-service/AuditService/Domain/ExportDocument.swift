// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC
internal import SettingsContracts

/// Writes entries, newest first, as one document that fits an answer.
///
/// The document is put into a JSON string of the answer, so its size is counted as that string will be: a page ends before
/// the entry that would pass `budget`.
struct ExportDocument: Sendable {
  /// What a document may take of an answer's 1 MiB, in bytes.
  static let budget = 900 * 1024

  let format: AuditExportFormat
  private let budget: Int
  private(set) var count = 0
  private var text: [UInt8]
  private var size: Int

  init(_ format: AuditExportFormat, budget: Int = ExportDocument.budget) {
    self.format = format
    self.budget = budget
    text = Self.opening(format)
    size = Self.escapedSize(text) + Self.escapedSize(Self.closing(format))
  }

  /// - Returns: false, with nothing added, when the entry no longer fits.
  /// - Throws: RESOURCE_EXHAUSTED when it would not even fit alone.
  mutating func add(_ entry: AuditEntry) throws -> Bool {
    let line = try separator + Self.line(entry, format)
    let added = Self.escapedSize(line)
    guard size + added <= budget else {
      if count > 0 { return false }
      throw RPCError(
        .resourceExhausted, "entry \(entry.entryId) alone exceeds an answer in this format; narrow the export",
        reason: "entryTooLarge")
    }
    text += line
    size += added
    count += 1
    return true
  }

  var content: String { String(decoding: text + Self.closing(format), as: UTF8.self) }

  var contentType: String {
    switch format {
    case .json: "application/json"
    case .ndjson: "application/x-ndjson"
    case .csv: "text/csv; charset=utf-8"
    case .readable: "text/plain; charset=utf-8"
    }
  }

  private var separator: [UInt8] {
    format == .json ? Array((count == 0 ? "\n" : ",\n").utf8) : []
  }

  private static func opening(_ format: AuditExportFormat) -> [UInt8] {
    switch format {
    case .json: Array("[".utf8)
    case .csv: Array(CSV.row(EntryColumns.names).utf8)
    case .ndjson, .readable: []
    }
  }

  private static func closing(_ format: AuditExportFormat) -> [UInt8] {
    format == .json ? Array("\n]\n".utf8) : []
  }

  /// With `id`, the entry's id as a UUID, by which app code that keeps such a trail on the device knows its entries.
  private static func json(_ entry: AuditEntry) throws -> [UInt8] {
    guard let id = Identifier.uuid(of: entry.entryId) else { return try JSON.canonical(entry) }
    var members = try JSON.decode([String: JSONValue].self, from: JSON.encode(entry))
    members["id"] = .string(id)
    return try JSON.canonical(JSONValue.object(members))
  }

  private static func line(_ entry: AuditEntry, _ format: AuditExportFormat) throws -> [UInt8] {
    switch format {
    case .json: try json(entry)
    case .ndjson: try json(entry) + [UInt8(ascii: "\n")]
    case .csv: Array(CSV.row(try EntryColumns.cells(entry)).utf8)
    case .readable: Array((ReadableLine.text(entry) + "\n").utf8)
    }
  }

  /// Bytes of the text inside a JSON string: quotes, backslashes and line ends take two, other controls six.
  private static func escapedSize(_ text: [UInt8]) -> Int {
    text.reduce(into: 0) { size, byte in
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): size += 2
      case 0..<0x20: size += 6
      default: size += 1
      }
    }
  }
}
