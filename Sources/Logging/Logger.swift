// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import JSONRPC

/// Writes log lines: one JSON object a line on standard error, with `timestamp`, `severity`, `service` and `message` first.
/// Values are named; personal data is never among them.
public struct Logger: Sendable {
  public enum Level: Int, Sendable, Comparable, CaseIterable {
    case debug, info, warning, error
    public var name: String { "\(self)" }
    /// As OpenTelemetry's logs call it.
    var severity: String {
      switch self {
      case .debug: "DEBUG"
      case .info: "INFO"
      case .warning: "WARN"
      case .error: "ERROR"
      }
    }
    public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  private let program: String
  private let threshold: Level
  private let output: @Sendable ([UInt8]) -> Void

  /// - Parameters:
  ///   - program: the member `service` of each line.
  ///   - threshold: lines below it are dropped.
  ///   - output: takes a whole line with its newline; standard error by default.
  public init(
    program: String, threshold: Level = .info, output: @escaping @Sendable ([UInt8]) -> Void = Logger.standardError
  ) {
    self.program = program
    self.threshold = threshold
    self.output = output
  }

  public func debug(_ message: String, _ values: @autoclosure () -> [String: JSONValue] = [:]) {
    log(.debug, message, values)
  }
  public func info(_ message: String, _ values: @autoclosure () -> [String: JSONValue] = [:]) {
    log(.info, message, values)
  }
  public func warning(_ message: String, _ values: @autoclosure () -> [String: JSONValue] = [:]) {
    log(.warning, message, values)
  }
  public func error(_ message: String, _ values: @autoclosure () -> [String: JSONValue] = [:]) {
    log(.error, message, values)
  }

  /// Whether lines of that level are written.
  public func logs(_ level: Level) -> Bool { level >= threshold }

  /// - Parameter values: made only if the line is written.
  public func log(_ level: Level, _ message: String, _ values: () -> [String: JSONValue]) {
    guard logs(level) else { return }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let time = Timestamp(milliseconds: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000)
    let line = LogLine(time: time, severity: level.severity, program: program, message: message, values: values())
    // A line that cannot be encoded (a number that is not finite) is still a line.
    var bytes = (try? JSON.encode(line)) ?? Array(#"{"severity":"ERROR","message":"unencodable log line"}"#.utf8)
    bytes.append(UInt8(ascii: "\n"))
    output(bytes)
  }

  /// One `write` a line, so that lines of several threads do not mix.
  public static let standardError: @Sendable ([UInt8]) -> Void = { line in
    line.withUnsafeBytes { _ = write(2, $0.baseAddress, $0.count) }
  }

  /// Drops everything: for tests.
  public static let silent = Logger(program: "test", threshold: .error, output: { _ in })
}

private struct LogLine: Encodable {
  var time: Timestamp
  var severity: String
  var program: String
  var message: String
  var values: [String: JSONValue]

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(time, forKey: Key("timestamp"))
    try container.encode(severity, forKey: Key("severity"))
    try container.encode(program, forKey: Key("service"))
    try container.encode(message, forKey: Key("message"))
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { try container.encode(value, forKey: Key(name)) }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
