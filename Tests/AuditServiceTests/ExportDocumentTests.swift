// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import AuditService

struct ExportDocumentTests {
  static let time = Timestamp("2026-01-02T03:04:05.678Z")!

  static func entry(_ index: Int64 = 0, _ change: (inout AuditEntry) -> Void = { _ in }) -> AuditEntry {
    var entry = AuditEntry(
      entryId: "e\(index)", index: index, kind: "consent.granted", source: "consent-service", timestamp: time,
      actor: "person")
    entry.accountId = "u-1"
    entry.category = "analytics"
    entry.status = "granted"
    entry.regulation = "gdpr"
    entry.policyVersion = 1
    entry.appVersion = "2.1.0"
    change(&entry)
    return entry
  }

  static let awkward = entry(1) {
    $0.appVersion = "=1+1\"x\",\r\n\ty"
    $0.details = ["reason": "a \"quoted\" word,\nand a line; é €"]
    $0.evidence = AuditEvidence(leaf: #"{"v":1}"#, salt: "00", personal: ["accountId": "u-1"], actor: nil)
  }

  static func document(_ format: AuditExportFormat, _ entries: [AuditEntry]) throws -> ExportDocument {
    var document = ExportDocument(format)
    for entry in entries { #expect(try document.add(entry)) }
    return document
  }

  @Test
  func `json reads back as the entries, its members sorted`() throws {
    let entries = [Self.awkward, Self.entry(0)]
    let content = try Self.document(.json, entries).content
    #expect(try JSON.decode([AuditEntry].self, from: content) == entries)
    let line = try #require(content.split(separator: "\n").last { $0.hasPrefix("{") })
    #expect(
      line == """
        {"accountId":"u-1","actor":"person","appVersion":"2.1.0","category":"analytics","entryId":"e0","index":0,\
        "kind":"consent.granted","policyVersion":1,"regulation":"gdpr","source":"consent-service","status":"granted",\
        "timestamp":"2026-01-02T03:04:05.678Z"}
        """)
  }

  /// Its bits by Python's uuid.
  @Test(arguments: [AuditExportFormat.json, .ndjson])
  func `an entry's id is there as a UUID too`(_ format: AuditExportFormat) throws {
    let entry = Self.entry { $0.entryId = "01m9tq3w5k7x2n4p6r8s0v1zab" }
    let content = try Self.document(format, [entry]).content
    let line = try #require(content.split(separator: "\n").first { $0.hasPrefix("{") })
    let members = try JSON.decode([String: JSONValue].self, from: String(line))
    #expect(members["id"] == "01a27571-f0b3-3f45-5258-d84641b0fd4b")
    #expect(members["entryId"] == "01m9tq3w5k7x2n4p6r8s0v1zab")
  }

  @Test(arguments: [AuditExportFormat.json, .ndjson, .csv, .readable])
  func `an export of nothing is a whole document`(_ format: AuditExportFormat) throws {
    let content = try Self.document(format, []).content
    switch format {
    case .json: #expect(try JSON.decode([AuditEntry].self, from: content).isEmpty)
    case .csv: #expect(CSVReader.rows(content) == [EntryColumns.names])
    case .ndjson, .readable: #expect(content.isEmpty)
    }
  }

  @Test
  func `ndjson has one entry a line`() throws {
    let entries = [Self.awkward, Self.entry(0)]
    let content = try Self.document(.ndjson, entries).content
    #expect(content.hasSuffix("\n"))
    let lines = content.split(separator: "\n")
    #expect(try lines.map { try JSON.decode(AuditEntry.self, from: String($0)) } == entries)
  }

  @Test
  func `csv reads back cell by cell and gives spreadsheets no formula`() throws {
    let rows = CSVReader.rows(try Self.document(.csv, [Self.awkward, Self.entry(0)]).content)
    #expect(rows.count == 3)
    let first = Dictionary(uniqueKeysWithValues: zip(rows[0], rows[1]))
    #expect(first["entryId"] == "e1")
    #expect(first["appVersion"] == "'=1+1\"x\",\r\n\ty")
    #expect(
      try JSON.decode(JSONValue.self, from: try #require(first["details"])) == .object(Self.awkward.details!))
    #expect(first["leaf"] == #"{"v":1}"#)
    let second = Dictionary(uniqueKeysWithValues: zip(rows[0], rows[2]))
    #expect(second["details"] == "")
    #expect(second["timestamp"] == "2026-01-02T03:04:05.678Z")
  }

  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("=1", "'=1"), ("+1", "'+1"), ("-1", "'-1"), ("@a", "'@a"), ("\ta", "'\ta"),
    ("\ra", "\"'\ra\""), ("a=1", "a=1"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\""),
  ])
  func `cells are quoted where they must be, and never begin as a formula does`(_ text: String, _ cell: String) {
    #expect(CSV.cell(text) == cell)
  }

  @Test(arguments: AuditExportFormat.allCases)
  func `a document ends before the entry that would not fit its answer`(_ format: AuditExportFormat) throws {
    let budget = 4_000
    var document = ExportDocument(format, budget: budget)
    var index: Int64 = 0
    while try document.add(Self.entry(index) { $0.appVersion = "\"\"\"\"" }) { index += 1 }
    #expect(index > 3)
    #expect(document.count == Int(index))
    #expect(try JSON.encode(document.content).count - 2 <= budget)
  }

  @Test
  func `an entry too large for any answer is an error that names it`() throws {
    var document = ExportDocument(.json, budget: 500)
    #expect {
      try document.add(Self.entry { $0.details = ["text": .string(String(repeating: "x", count: 600))] })
    } throws: {
      ($0 as? RPCError)?.code == .resourceExhausted && ($0 as? RPCError)?.message.contains("e0") == true
    }
  }

  struct Line: Sendable {
    var text: String
    var change: @Sendable (inout AuditEntry) -> Void
  }

  static let lines = [
    Line(text: "Granted Analytics (Regulation: GDPR, App: 2.1.0)") { _ in },
    Line(text: "Denied Product News (Regulation: CCPA, App: 2.1.0)") {
      $0.status = "denied"
      $0.category = "productNews"
      $0.regulation = "ccpa"
    },
    Line(text: "Reset Analytics (Regulation: —, App: —)") {
      $0.status = "notDetermined"
      $0.regulation = nil
      $0.appVersion = nil
    },
    Line(text: "Account photo changed (Regulation: —, App: 2.1.0)") {
      $0.kind = "account.photoChanged"
      $0.category = nil
      $0.status = nil
      $0.regulation = nil
    },
    Line(text: "Granted Analytics (Regulation: GDPR, App: 1 [2026-01-01] Denied)") {
      $0.appVersion = "1\n[2026-01-01] Denied"
    },
    Line(text: "Granted Analytics (Regulation: GDPR, App: \u{FFFD}1.2\u{FFFD}\u{FFFD})") {
      $0.appVersion = "\u{202E}1.2\u{1B}\u{2069}"
    },
  ]

  @Test(arguments: lines)
  func `a readable line says what, under which rule, in which version`(_ line: Line) {
    #expect(ReadableLine.text(Self.entry(0, line.change)) == "[2026-01-02 03:04:05 UTC] " + line.text)
  }
}

/// RFC 4180, read by another way than it was written.
enum CSVReader {
  static func rows(_ text: String) -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var cell: [UInt8] = []
    var isQuoted = false
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "\"") where isQuoted && bytes.first == UInt8(ascii: "\""):
        cell.append(bytes.removeFirst())
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted:
        row.append(String(decoding: cell, as: UTF8.self))
        cell = []
      case UInt8(ascii: "\r") where !isQuoted && bytes.first == UInt8(ascii: "\n"):
        bytes.removeFirst()
        rows.append(row + [String(decoding: cell, as: UTF8.self)])
        row = []
        cell = []
      default: cell.append(byte)
      }
    }
    return rows
  }
}
