// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import Testing

@testable import SettingsContracts

@Suite struct SchemaOfEveryMethodTests {
  @Test(arguments: PublicContract.allMethods.map(\.name)) func paramsAreAnObjectAndBothTypesShowTheirSchema(
    name: String
  )
    throws
  {
    let method = try #require(PublicContract.allMethods.first { $0.name == name })
    var recorder = SchemaRecorder()
    _ = try recorder.members(of: method.params)
    _ = try recorder.record(method.result)
  }

  @Test func thePublicContractIsOneDocument() throws {
    let document = try OpenRPC.document(title: "Assent", methods: PublicContract.allMethods)
    let methods = try JSON.decode(JSONValue.self, from: document.bytes)["methods"]?.arrayValue
    #expect(methods?.count == PublicContract.allMethods.count)
    #expect(Set(PublicContract.allMethods.map(\.name)).count == PublicContract.allMethods.count)
  }
}
