// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import SettingsContracts
import Testing

@Suite struct PublicContractTests {
  @Test func everyMethodHasOneNameOneSummaryAndAService() {
    var names: Set<String> = []
    for method in PublicContract.serviceMethods {
      #expect(names.insert(method.name).inserted, "\(method.name) is declared twice")
      #expect(!method.summary.isEmpty, "\(method.name) has no summary")
      #expect(ServiceMap.service(answering: method.name) != nil, "\(method.name) belongs to no service")
    }
  }

  @Test func everyTypeOfTheContractHasASchema() throws {
    let document = try OpenRPC.document(title: "Assent", methods: PublicContract.serviceMethods)
    let methods = try JSON.decode(JSONValue.self, from: document.bytes)["methods"]?.arrayValue
    #expect(methods?.count == PublicContract.serviceMethods.count)
  }

  static let homes: [(String, String?)] = [
    ("consent.check", "consent-service"), ("notifications.decide", "notification-prefs-service"),
    ("permission.list", "permission-service"), ("session.start", "account-service"), ("audit.entries", "audit-service"),
    ("settings.load", nil), ("rpc.health", nil), ("consent", nil), (".check", nil), ("", nil),
  ]
  @Test(arguments: homes) func aMethodsDomainDecidesItsService(_ method: String, _ service: String?) {
    #expect(ServiceMap.service(answering: method) == service)
  }
}
