// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Comma-separated values that no spreadsheet takes for formulas.
///
/// Source: RFC 4180; OWASP, CSV Injection.
enum CSV {
  /// One row with its line end.
  static func row(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") + "\r\n" }

  /// A cell that begins as a formula does gets an apostrophe in front, which spreadsheets read as "text follows"; a cell
  /// with quotes, commas or line ends is quoted, its quotes doubled.
  static func cell(_ text: String) -> String {
    var bytes = Array(text.utf8)
    if let first = bytes.first, formulaStarts.contains(first) { bytes.insert(UInt8(ascii: "'"), at: 0) }
    guard bytes.contains(where: quoted.contains) else { return String(decoding: bytes, as: UTF8.self) }
    var cell: [UInt8] = [UInt8(ascii: "\"")]
    for byte in bytes {
      if byte == UInt8(ascii: "\"") { cell.append(byte) }
      cell.append(byte)
    }
    cell.append(UInt8(ascii: "\""))
    return String(decoding: cell, as: UTF8.self)
  }

  private static let formulaStarts = Array("=+-@\t\r".utf8)
  private static let quoted = Array("\",;\r\n".utf8)
}
