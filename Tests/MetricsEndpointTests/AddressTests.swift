// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Configuration
import MetricsEndpoint
import Testing

@Suite struct AddressTests {
  static let addresses: [(text: String?, host: String?, port: UInt16)] = [
    (nil, nil, 0), ("9464", "127.0.0.1", 9464), ("0.0.0.0:9464", "0.0.0.0", 9464), ("[::]:0", "::", 0),
    ("[::1]:65535", "::1", 65535),
  ]
  @Test(arguments: addresses)
  func `a port alone is on the loopback`(text: String?, host: String?, port: UInt16) throws {
    let address = try MetricsEndpoint.Address(Configuration(text.map { ["ASSENT_METRICS_LISTEN": $0] } ?? [:]))
    #expect(address?.host == host)
    #expect(address?.port ?? 0 == port)
  }

  @Test(arguments: ["x", ":9464", "127.0.0.1:", "65536", "-1", "127.0.0.1:9464:"])
  func `anything else is refused`(_ text: String) {
    #expect(throws: ConfigurationError.self) {
      try MetricsEndpoint.Address(Configuration(["ASSENT_METRICS_LISTEN": text]))
    }
  }
}
