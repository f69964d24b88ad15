// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC

/// Where results and complaints go.
struct Output: Sendable {
  /// Whether JSON is asked for: one line, for programs.
  var isJSON = false
  private let out: @Sendable ([UInt8]) -> Void
  private let err: @Sendable ([UInt8]) -> Void

  init(
    out: @escaping @Sendable ([UInt8]) -> Void = { _ = FileBytes.write($0, to: 1) },
    err: @escaping @Sendable ([UInt8]) -> Void = { _ = FileBytes.write($0, to: 2) }
  ) {
    self.out = out
    self.err = err
  }

  func write(_ bytes: [UInt8]) { out(bytes) }
  func line(_ text: String) { out(Array((text + "\n").utf8)) }
  func warn(_ text: String) { err(Array("assentctl: warning: \(text)\n".utf8)) }
  /// What went wrong before any call.
  func complain(_ text: String) {
    guard isJSON else { return err(Array("assentctl: \(text)\n".utf8)) }
    err(((try? JSON.encode(["error": ["message": text]])) ?? []) + [UInt8(ascii: "\n")])
  }

  /// A result: indented for people, as it came with `--json`.
  func result(_ json: [UInt8]) {
    out((isJSON ? json : PrettyJSON.text(json)) + [UInt8(ascii: "\n")])
  }

  /// Lines of columns.
  func table(_ rows: [[String]]) {
    let widths = rows.reduce(into: [Int]()) { widths, row in
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    for row in rows {
      let cells = row.enumerated().map { column, cell in
        column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
      }
      line(cells.joined(separator: "  "))
    }
  }

  /// Why a call gave no result.
  func error(_ error: RPCError, calling method: String?) {
    if isJSON {
      let bytes = (try? JSON.encode(["error": error])) ?? Array(#"{"error":{}}"#.utf8)
      return err(bytes + [UInt8(ascii: "\n")])
    }
    complain("\(method.map { "\($0): " } ?? "")\(error.message)")
    var rows = [("code", "\(error.code.rawValue) \(error.code.status)"), ("reason", error.reason)]
    if let field = error.field { rows.append(("field", field)) }
    if let display = error.display { rows.append(("display", display)) }
    rows.append(("retry", error.retryable ? error.retryAfterMs.map { "after \($0) ms" } ?? "yes" : "no"))
    switch error.processed {
    case .yes: rows.append(("processed", "yes"))
    case .no: rows.append(("processed", "no"))
    case .unknown: rows.append(("processed", "not known"))
    }
    if let requestId = error.requestId { rows.append(("requestId", requestId)) }
    for (name, text) in rows {
      err(Array("  \(name)\(String(repeating: " ", count: 9 - name.count))  \(text)\n".utf8))
    }
  }
}
