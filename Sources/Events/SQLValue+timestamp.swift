// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC
public import SQLStore

extension SQLValue {
  /// Milliseconds, as every time is stored.
  public init(_ time: Timestamp) { self = .integer(time.milliseconds) }
  public init(_ time: Timestamp?) { self = time.map { .integer($0.milliseconds) } ?? .null }
}

extension SQLRow {
  public func timestamp(_ column: Int) -> Timestamp { Timestamp(milliseconds: int(column)) }
  public func optionalTimestamp(_ column: Int) -> Timestamp? {
    optionalInt(column).map { Timestamp(milliseconds: $0) }
  }
}
