// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Configuration
import ServiceKit
import Testing

@Suite struct BusConfigurationTests {
  @Test func anEndpointIsConfiguredOrLiesInTheFolder() throws {
    let bus = BusConfiguration(
      Configuration(["ASSENT_BUS_DIR": "/run/assent", "ASSENT_AUDIT_SERVICE_ENDPOINT": "tcp://127.0.0.1:7000"]))
    #expect(try bus.endpoint(of: "notification-prefs-service") == "ipc:///run/assent/notification-prefs-service.sock")
    #expect(try bus.endpoint(of: "audit-service") == "tcp://127.0.0.1:7000")
  }

  @Test func withoutEitherTheErrorNamesBoth() {
    let error = #expect(throws: ConfigurationError.self) {
      try BusConfiguration(Configuration([:])).endpoint(of: "audit-service")
    }
    #expect(error?.description == "ASSENT_AUDIT_SERVICE_ENDPOINT is not set, nor is ASSENT_BUS_DIR")
  }
}
