// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The writes a plan's `decide` asks for, run in this order after it returned.
public struct SQLWrites: Sendable {
  /// A statement and, maybe, a look at what it returned.
  public struct Write: Sendable {
    public let statement: SQLStatement
    public let check: (@Sendable (SQLRows) throws -> Void)?
  }

  public private(set) var all: [Write] = []
  /// Keys of what is written, for the store's `WriteStamps`.
  public private(set) var touched: [UInt64] = []
  /// No caller waits for these: a store that computes them itself lets other threads have the core in between.
  public var givesWay = false

  public init() {}

  public mutating func add(_ statement: SQLStatement) { all.append(Write(statement: statement, check: nil)) }

  public mutating func add(_ sql: StaticString, _ parameters: SQLValue...) {
    add(SQLStatement(sql, parameters: parameters))
  }

  /// - Parameter check: gets what the statement returned; throwing rolls this write back and is what its caller gets.
  ///   Like `decide` it may be run again, so it has no side effects.
  public mutating func add(_ statement: SQLStatement, check: @escaping @Sendable (SQLRows) throws -> Void) {
    all.append(Write(statement: statement, check: check))
  }

  public mutating func add(contentsOf other: SQLWrites) {
    all += other.all
    touched += other.touched
  }

  /// Says that what `key` stands for is changed, so that who keeps it in memory reads it again.
  public mutating func touch(_ key: UInt64) { touched.append(key) }

  public mutating func removeAll() {
    all.removeAll(keepingCapacity: true)
    touched.removeAll()
    givesWay = false
  }
}
