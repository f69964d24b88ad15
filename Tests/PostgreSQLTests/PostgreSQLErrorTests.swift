// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import Testing

struct PostgreSQLErrorTests {
  @Test(arguments: [(nil, true), ("08006", true), ("57P01", true), ("25P03", true), ("23505", false), ("40001", false)])
  func `a session that is over is told from a statement that was refused`(_ state: String?, _ isLost: Bool) {
    #expect(PostgreSQLError(sqlState: state, message: "").isConnectionLost == isLost)
  }

  @Test(arguments: [("40001", true), ("40P01", true), ("55P03", true), ("23505", false), ("57P01", false)])
  func `what another transaction was in the way of may be tried again`(_ state: String, _ isConflict: Bool) {
    #expect(PostgreSQLError(sqlState: state, message: "").isConflict == isConflict)
  }
}
