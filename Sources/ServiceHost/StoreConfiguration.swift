// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
internal import Glibc
internal import SQLStoreDrivers

/// Where a service keeps its data: `ASSENT_STORE_URL` of one service, or `ASSENT_DATABASE_URL` of all, which each take a
/// schema of their own in; else a file in `ASSENT_DATA_DIR`. A password is better kept in a file that
/// `ASSENT_DATABASE_PASSWORD_FILE` names than in a URL.
enum StoreConfiguration {
  static func location(_ configuration: Configuration, service: String) throws -> StoreLocation {
    let url =
      try configuration.string("ASSENT_STORE_URL") ?? configuration.string("ASSENT_DATABASE_URL")
      ?? "sqlite:\(configuration.required("ASSENT_DATA_DIR"))/\(service).db"
    // consent-service: consent_service, so that it needs no quotes in psql.
    return try StoreLocation(
      url, schema: String(service.map { $0 == "-" ? "_" : $0 }), password: try password(configuration))
  }

  /// The file's first line.
  private static func password(_ configuration: Configuration) throws(ConfigurationError) -> String? {
    let key = "ASSENT_DATABASE_PASSWORD_FILE"
    guard let path = configuration.string(key) else { return nil }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw ConfigurationError(key: key, problem: "names a file that cannot be read") }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(file, &bytes, bytes.count)
    let line = bytes.prefix(max(0, count)).prefix { $0 != 10 && $0 != 13 && $0 != 0 }
    guard !line.isEmpty else { throw ConfigurationError(key: key, problem: "names a file without a password in it") }
    return String(decoding: line, as: UTF8.self)
  }
}
