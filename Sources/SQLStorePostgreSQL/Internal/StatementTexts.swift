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

  /// Many statements as one, and how their rows are told apart.
  struct Batch {
    let entry: Entry
    let answer: BatchText.Answer
  }

  var dialect: PostgreSQLDialect {
    // Numbers are not used again, so what sessions have prepared stays apart.
    didSet {
      numbers.removeAll()
      batches.removeAll()
    }
  }
  private var numbers: [UnsafePointer<UInt8>: Int] = [:]
  private var entries: [Entry] = []
  private var batches: [UnsafePointer<UInt8>: Batch?] = [:]

  init(_ dialect: PostgreSQLDialect) { self.dialect = dialect }

  deinit {
    for entry in entries { free(UnsafeMutablePointer(mutating: entry.sql)) }
  }

  func entry(_ sql: StaticString) -> Entry {
    if let number = numbers[sql.utf8Start] { return entries[number] }
    let text = String(describing: sql)
    let entry = add(dialect.translate(statement: text), isReadOnly: PostgreSQLDialect.isReadOnly(text))
    numbers[sql.utf8Start] = entry.number
    return entry
  }

  /// Nil where statements of this text have to run one by one.
  func batch(_ sql: StaticString) -> Batch? {
    if let known = batches[sql.utf8Start] { return known }
    let single = entry(sql)
    let batch = BatchText(String(cString: single.sql)).map { text in
      Batch(entry: add(text.sql, isReadOnly: single.isReadOnly), answer: text.answer)
    }
    batches[sql.utf8Start] = .some(batch)
    return batch
  }

  private func add(_ sql: String, isReadOnly: Bool) -> Entry {
    let entry = Entry(number: entries.count, sql: strdup(sql), isReadOnly: isReadOnly)
    entries.append(entry)
    return entry
  }
}
