// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension Configuration {
  /// The process's environment variables whose names begin with `ASSENT_` or, as OpenTelemetry's do, with `OTEL_`.
  public static func fromEnvironment() -> Configuration {
    var values: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let line = String(cString: text)
      if line.hasPrefix("ASSENT_") || line.hasPrefix("OTEL_"), let equals = line.firstIndex(of: "=") {
        values[String(line[..<equals])] = String(line[line.index(after: equals)...])
      }
      entry += 1
    }
    return Configuration(values)
  }
}
