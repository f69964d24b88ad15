// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Configuration
import Testing

@Suite struct ConfigurationTests {
  let configuration = Configuration(["PORT": "8080", "BIG": "70000", "WORD": "x", "EMPTY": "", "ON": "Yes", "OFF": "0"])

  @Test func valuesAreReadOrDefaulted() throws {
    #expect(try configuration.int("PORT", default: 1, in: 1...65_535) == 8080)
    #expect(try configuration.int("EMPTY", default: 7, in: 1...10) == 7)
    #expect(try configuration.bool("ON", default: false))
    #expect(try !configuration.bool("OFF", default: true))
    #expect(try configuration.bool("MISSING", default: true))
    #expect(try configuration.choice("WORD", default: "y", of: ["x", "y"]) == "x")
    #expect(configuration.string("EMPTY") == nil)
  }

  @Test func whatCannotBeUsedIsNamedWithWhatIsAllowedAndNeverRepeated() {
    let problems: [(String, () throws -> Void, String)] = [
      ("BIG", { _ = try configuration.int("BIG", default: 1, in: 1...65_535) }, "a whole number from 1 to 65535"),
      ("WORD", { _ = try configuration.int("WORD", default: 1, in: 0...9) }, "a whole number from 0 to 9"),
      ("WORD", { _ = try configuration.bool("WORD", default: false) }, "true or false"),
      ("WORD", { _ = try configuration.choice("WORD", default: "a", of: ["a", "b"]) }, "one of a, b"),
      ("MISSING", { _ = try configuration.required("MISSING") }, "is not set"),
    ]
    for (key, read, allowed) in problems {
      let error = #expect(throws: ConfigurationError.self) { try read() }
      #expect(error?.key == key)
      #expect(error?.description.contains(allowed) == true)
      #expect(error?.problem.contains("70000") == false)
    }
  }
}
