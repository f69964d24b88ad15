// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Configuration
public import Logging
public import Metrics

extension KeyFiles {
  /// - `ASSENT_CURVE_KEY_FILE`: the program's key pairs.
  /// - `ASSENT_CURVE_PEERS_FILE`: the keys of its peers with their roles.
  /// - Returns: nil when neither is set.
  /// - Throws: `ConfigurationError` when only one is.
  public init?(_ configuration: Configuration) throws(ConfigurationError) {
    let (key, other) = ("ASSENT_CURVE_KEY_FILE", "ASSENT_CURVE_PEERS_FILE")
    guard configuration.string(key) != nil || configuration.string(other) != nil else { return nil }
    self.init(keys: try configuration.required(key), peers: try configuration.required(other))
  }
}

extension BusSecurity {
  /// As the configuration says: CURVE where key files are named; else plain text, off the loopback only with
  /// `ASSENT_ALLOW_PLAINTEXT`.
  /// - Throws: `ConfigurationError`, and as `KeyRing.open`.
  public static func configured(
    by configuration: Configuration, for door: KeyRing.Door, on thread: SocketThread, _ logger: Logger,
    metrics: MetricsRegistry? = nil
  ) async throws -> BusSecurity {
    let allowsPlaintext = try configuration.bool("ASSENT_ALLOW_PLAINTEXT", default: false)
    if let files = try KeyFiles(configuration) {
      return .curve(try await .open(files, for: door, on: thread, logger, metrics: metrics))
    }
    // Shown in plain text too, so that alerts about them can be told from a typing error.
    _ = KeyRing.counters(in: metrics)
    guard allowsPlaintext else { return .local }
    logger.warning(
      "ASSENT_ALLOW_PLAINTEXT is set: whoever is between this program and another can read and change what they say")
    return .plaintext
  }
}
