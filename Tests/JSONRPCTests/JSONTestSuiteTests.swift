// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import JSONRPC

/// JSONTestSuite (Nicolas Seriot): `y_` must be accepted, `n_` refused, `i_` may be either but must not crash.
@Suite(.enabled(if: TestVectors.hasJSONTestSuite, "the JSONTestSuite folder is not there; set ASSENT_VECTORS"))
struct JSONTestSuiteTests {
  @Test func theSuiteIsComplete() {
    let names = TestVectors.files(in: TestVectors.jsonTestSuite)
    #expect(names.filter { $0.hasPrefix("y_") }.count == 95)
    #expect(names.filter { $0.hasPrefix("n_") }.count == 188)
    #expect(names.filter { $0.hasPrefix("i_") }.count == 35)
  }

  @Test(arguments: TestVectors.files(in: TestVectors.jsonTestSuite))
  func scannerAcceptsAndRefusesWhatItMust(name: String) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: TestVectors.jsonTestSuite + "/" + name)))
    let value = try? JSON.decode(RawJSON.self, from: bytes)
    switch name.prefix(2) {
    case "y_":
      #expect(value != nil)
      let tree = try JSON.decode(JSONValue.self, from: bytes)
      #expect(try JSON.decode(JSONValue.self, from: JSON.encode(tree)) == tree)
    case "n_": #expect(value == nil)
    default: break
    }
  }
}
