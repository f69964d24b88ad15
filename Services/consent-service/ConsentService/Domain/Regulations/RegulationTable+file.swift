// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
internal import Glibc

extension RegulationTable {
  /// The configuration key of a file that takes the place of the built-in one.
  static let setting = "ASSENT_CONSENT_REGULATIONS"

  /// The file that the configuration names, else the built-in table.
  /// - Throws: `ConfigurationError`.
  static func load(_ configuration: Configuration) throws -> RegulationTable {
    guard let path = configuration.string(setting) else { return builtIn }
    guard let json = read(path) else {
      throw ConfigurationError(key: setting, problem: "names a file that cannot be read")
    }
    do {
      return try RegulationTable(json: json)
    } catch {
      throw ConfigurationError(key: setting, problem: "names a file that is no regulation table: \(error)")
    }
  }

  private static func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      bytes += buffer[..<count]
      if count < buffer.count { return ferror(file) == 0 ? bytes : nil }
    }
  }
}
