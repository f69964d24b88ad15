// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Configuration

/// Where the programs meet: one ipc socket per service in a folder that only this user can enter, unless an endpoint is
/// configured.
///
/// - `ASSENT_BUS_DIR`: the folder.
/// - `ASSENT_<SERVICE>_ENDPOINT`, such as `ASSENT_CONSENT_SERVICE_ENDPOINT`: another endpoint of one service. For its
///   callers several, separated by commas (it listens on the first of its own), and names, each of which stands for all its addresses.
/// - `ASSENT_DRAIN_SECONDS`: from a stop's signal until calls are refused.
public struct BusConfiguration: Sendable {
  private let configuration: Configuration

  public init(_ configuration: Configuration) { self.configuration = configuration }

  /// - Throws: `ConfigurationError` when neither the endpoint nor the folder is configured.
  public func endpoint(of service: String) throws(ConfigurationError) -> String {
    let key = "ASSENT_" + service.uppercased().map { $0 == "-" ? "_" : String($0) }.joined() + "_ENDPOINT"
    if let endpoint = configuration.string(key) { return endpoint }
    guard let folder = configuration.string("ASSENT_BUS_DIR") else {
      throw ConfigurationError(key: key, problem: "is not set, nor is ASSENT_BUS_DIR")
    }
    return "ipc://\(folder)/\(service).sock"
  }

  /// Where `service` listens itself: the first of its endpoints, where several are given.
  /// - Throws: as `endpoint(of:)`.
  public func ownEndpoint(of service: String) throws(ConfigurationError) -> String {
    let all = try endpoint(of: service)
    return all.firstIndex(of: ",").map { String(all[..<$0]) } ?? all
  }

  /// How long a service goes on serving once it was asked to stop: callers look names up every five seconds.
  /// - Throws: `ConfigurationError`.
  public func drainSeconds() throws(ConfigurationError) -> Int {
    try configuration.int("ASSENT_DRAIN_SECONDS", default: 5, in: 0...600)
  }
}
