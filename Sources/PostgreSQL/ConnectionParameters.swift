// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CPostgreSQL
internal import Glibc

/// libpq's keywords and their values, of a `postgresql://` URL.
public struct ConnectionParameters: Sendable {
  /// In the order in which they were given; a later one of the same keyword wins.
  public private(set) var values: [(keyword: String, value: String)] = []

  /// - Throws: when it is no URL that libpq understands. The text is not repeated: it may hold a password.
  public init(url: String) throws(PostgreSQLError) {
    var complaint: UnsafeMutablePointer<CChar>?
    let options = PQconninfoParse(url, &complaint)
    PQfreemem(complaint)
    guard let options else {
      throw PostgreSQLError(
        sqlState: "08001", message: "not a URL of the form postgresql://user@host:5432/database?sslmode=verify-full")
    }
    defer { PQconninfoFree(options) }
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        values.append((String(cString: keyword), String(cString: value)))
      }
      option += 1
    }
  }

  public subscript(keyword: String) -> String? {
    get { values.last { $0.keyword == keyword }?.value }
    set {
      values.removeAll { $0.keyword == keyword }
      if let newValue { values.append((keyword, newValue)) }
    }
  }

  /// Calls `body` with the two arrays that libpq takes.
  func withArrays<R>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> R
  ) -> R {
    let keywords = values.map { UnsafePointer(strdup($0.keyword)) } + [nil]
    let texts = values.map { UnsafePointer(strdup($0.value)) } + [nil]
    defer {
      for text in keywords + texts { free(UnsafeMutablePointer(mutating: text)) }
    }
    return body(keywords, texts)
  }
}
