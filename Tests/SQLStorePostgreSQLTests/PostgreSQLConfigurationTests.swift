// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import SQLStore
import SQLStorePostgreSQL
import Testing

struct PostgreSQLConfigurationTests {
  @Test(arguments: [
    ("connections=1", "connections"), ("connections=many", "connections"), ("prepared=maybe", "prepared"),
    ("schema=", "schema"),
  ])
  func `a parameter that cannot be used is named, and the password is not`(_ parameter: String, _ name: String) {
    let url = "postgresql://assent:hush@localhost/assent?\(parameter)"
    let error = #expect(throws: SQLStoreError.self) { try PostgreSQLConfiguration(url: url) }
    #expect(error.map { "\($0)".contains(name) && !"\($0)".contains("hush") } == true)
  }
}
