// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A program's configuration: environment variables, read by name and checked where they are read.
public struct Configuration: Sendable {
  private let values: [String: String]

  public init(_ values: [String: String]) { self.values = values }

  /// The value of `key`, or nil where it is unset or empty.
  public func string(_ key: String) -> String? {
    guard let value = values[key], !value.isEmpty else { return nil }
    return value
  }

  public func string(_ key: String, default fallback: String) -> String { string(key) ?? fallback }

  /// - Throws: `ConfigurationError` when the value is missing.
  public func required(_ key: String) throws(ConfigurationError) -> String {
    guard let value = string(key) else { throw ConfigurationError(key: key, problem: "is not set") }
    return value
  }

  /// - Throws: `ConfigurationError` when the value is no whole number in `range`.
  public func int(_ key: String, default fallback: Int, in range: ClosedRange<Int>) throws(ConfigurationError) -> Int {
    guard let text = string(key) else { return fallback }
    guard let value = Int(text), range.contains(value) else {
      throw ConfigurationError(
        key: key, problem: "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// `1`, `true`, `yes`, `on` or `0`, `false`, `no`, `off`.
  /// - Throws: `ConfigurationError` for anything else.
  public func bool(_ key: String, default fallback: Bool) throws(ConfigurationError) -> Bool {
    guard let text = string(key) else { return fallback }
    switch text.lowercased() {
    case "1", "true", "yes", "on": return true
    case "0", "false", "no", "off": return false
    default: throw ConfigurationError(key: key, problem: "must be true or false")
    }
  }

  /// One of `allowed`.
  /// - Throws: `ConfigurationError` for anything else.
  public func choice(_ key: String, default fallback: String, of allowed: [String]) throws(ConfigurationError)
    -> String
  {
    guard let text = string(key) else { return fallback }
    guard allowed.contains(text) else {
      throw ConfigurationError(key: key, problem: "must be one of \(allowed.joined(separator: ", "))")
    }
    return text
  }
}

/// A configuration value that cannot be used. Its text names the key, never the value: values may be secrets.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  public let key: String
  public let problem: String
  public init(key: String, problem: String) {
    self.key = key
    self.problem = problem
  }
  public var description: String { "\(key) \(problem)" }
}
