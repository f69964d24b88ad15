// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SQLStore

/// The statements of a store as the server is given them, by the address of their literal, which is never freed. Used by
/// the store's thread alone.
final class StatementTexts {
  struct Entry {
    let number: Int
    let sql: UnsafePointer<CChar>
    let isReadOnly: Bool
  }

  var dialect: PostgreSQLDialect {
    // Numbers are not used again, so what sessions have prepared stays apart.
    didSet { numbers.removeAll() }
  }
  private var numbers: [UnsafePointer<UInt8>: Int] = [:]
  private var entries: [Entry] = []

  init(_ dialect: PostgreSQLDialect) { self.dialect = dialect }

  deinit {
    for entry in entries { free(UnsafeMutablePointer(mutating: entry.sql)) }
  }

  func entry(_ sql: StaticString) -> Entry {
    if let number = numbers[sql.utf8Start] { return entries[number] }
    let text = String(describing: sql)
    let entry = Entry(
      number: entries.count, sql: strdup(dialect.translate(statement: text)),
      isReadOnly: PostgreSQLDialect.isReadOnly(text))
    numbers[sql.utf8Start] = entry.number
    entries.append(entry)
    return entry
  }
}
