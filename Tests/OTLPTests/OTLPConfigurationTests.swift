// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Configuration
import Testing
import Tracing

@testable import OTLP

@Suite struct OTLPConfigurationTests {
  private func read(_ values: [String: String]) throws -> OTLPConfiguration? {
    try OTLPConfiguration(Configuration(values), program: "x-service")
  }

  static let endpoints: [(values: [String: String], endpoint: String?)] = [
    ([:], nil), (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"], "http://c:4318/v1/traces"),
    (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318/"], "http://c:4318/v1/traces"),
    (["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://c/t", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://d"], "https://c/t"),
    (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_SDK_DISABLED": "true"], nil),
    (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_TRACES_EXPORTER": "none"], nil),
  ]
  @Test(arguments: endpoints)
  func `spans go where an endpoint is set`(_ values: [String: String], _ endpoint: String?) throws {
    #expect(try read(values)?.endpoint == endpoint)
  }

  @Test func `what is set for traces stands before what is set for all`() throws {
    let otlp = try #require(
      try read([
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_HEADERS": "a=1, b = x%20y%3D",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "100", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "200", "OTEL_SERVICE_NAME": "mine",
        "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test,service.name=other",
        "OTEL_BSP_MAX_QUEUE_SIZE": "10",
      ]))
    #expect(otlp.headers == ["a: 1", "b: x y="])
    #expect(otlp.timeout == 200 && otlp.queue == 10 && otlp.batch == 10)
    #expect(otlp.resource.map { "\($0)=\($1)" } == ["service.name=mine", "deployment.environment.name=test"])
  }

  static let samplers: [(name: String?, argument: String?, sampler: Sampler)] = [
    (nil, nil, Sampler(ratio: 1, followsParent: true)), ("always_on", nil, Sampler(ratio: 1, followsParent: false)),
    ("always_off", nil, Sampler(ratio: 0, followsParent: false)),
    ("traceidratio", "0.5", Sampler(ratio: 0.5, followsParent: false)),
    ("parentbased_traceidratio", "0.25", Sampler(ratio: 0.25, followsParent: true)),
    ("parentbased_traceidratio", nil, Sampler(ratio: 1, followsParent: true)),
    ("parentbased_always_off", "0.5", Sampler(ratio: 0, followsParent: true)),
  ]
  @Test(arguments: samplers) func `samplers are named as OpenTelemetry names them`(
    _ name: String?, _ argument: String?, _ sampler: Sampler
  ) throws {
    var values = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c"]
    values["OTEL_TRACES_SAMPLER"] = name
    values["OTEL_TRACES_SAMPLER_ARG"] = argument
    #expect(try read(values)?.sampler == sampler)
  }

  static let bad: [[String: String]] = [
    ["OTEL_EXPORTER_OTLP_ENDPOINT": "c:4318"], ["OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"],
    ["OTEL_EXPORTER_OTLP_HEADERS": "a"], ["OTEL_EXPORTER_OTLP_HEADERS": "=b"],
    ["OTEL_EXPORTER_OTLP_HEADERS": "a=%0d%0ab: c"], ["OTEL_EXPORTER_OTLP_TIMEOUT": "x"],
    ["OTEL_TRACES_SAMPLER": "some"],
    ["OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "2"],
  ]
  @Test(arguments: bad) func `what cannot be used is refused by its name`(_ values: [String: String]) {
    let all = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c"].merging(values) { $1 }
    #expect(throws: ConfigurationError.self) { try read(all) }
  }
}
