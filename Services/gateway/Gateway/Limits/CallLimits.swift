// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration

/// What each caller and each address may use of the gateway; `README.md` lists the keys.
struct CallLimits: Sendable {
  /// Of a person in an app, however many sessions, or of a device before sign-in.
  var person = Usage.Limits(perSecond: 200, burst: 1_000, inFlight: 128)
  /// Of a service key.
  var key = Usage.Limits(perSecond: 0, burst: 1_000, inFlight: 2_048)
  /// Of an address, or a client of the ZeroMQ face, whoever calls from there.
  var address = Usage.Limits(perSecond: 0, burst: 1_000, inFlight: 2_048)
  /// Bytes of requests that running calls may hold together.
  var bytes = 64 << 20

  init() {}

  /// - Throws: `ConfigurationError`.
  init(_ configuration: Configuration) throws(ConfigurationError) {
    person = try CallLimits.limits("PERSON", person, configuration)
    key = try CallLimits.limits("KEY", key, configuration)
    address = try CallLimits.limits("ADDRESS", address, configuration)
    bytes = try configuration.int("ASSENT_BUFFER_MIB", default: 64, in: 2...65_536) << 20
  }

  private static func limits(
    _ whose: String, _ fallback: Usage.Limits, _ configuration: Configuration
  ) throws(ConfigurationError) -> Usage.Limits {
    Usage.Limits(
      perSecond: try configuration.int("ASSENT_\(whose)_RATE", default: fallback.perSecond, in: 0...1_000_000),
      burst: try configuration.int("ASSENT_\(whose)_BURST", default: fallback.burst, in: 1...1_000_000),
      inFlight: try configuration.int("ASSENT_\(whose)_IN_FLIGHT", default: fallback.inFlight, in: 0...1_000_000))
  }
}
