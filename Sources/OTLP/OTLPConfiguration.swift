// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Configuration
public import Tracing

/// Where spans go and which are recorded, by OpenTelemetry's own environment variables.
///
/// Sources: OpenTelemetry specification, "OpenTelemetry Protocol Exporter" and "Environment Variable Specification".
public struct OTLPConfiguration: Sendable {
  public var endpoint: String
  /// `Name: value`. May hold credentials: never logged.
  public var headers: [String] = []
  /// A file of certificates in place of the system's.
  public var authorities: String?
  /// Of one request, in milliseconds.
  public var timeout = 10_000
  public var sampler = Sampler(ratio: 1, followsParent: true)
  /// What is said of this program with its spans.
  public var resource: [(String, String)]
  /// Milliseconds between batches; spans of a batch; spans that wait.
  public var delay = 5_000
  public var batch = 512
  public var queue = 2048

  public init(endpoint: String, program: String) {
    self.endpoint = endpoint
    resource = [("service.name", program)]
  }

  /// - Returns: nil unless an endpoint is set.
  /// - Throws: `ConfigurationError`.
  public init?(_ configuration: Configuration, program: String) throws(ConfigurationError) {
    func value(_ name: String) -> String? {
      configuration.string("OTEL_EXPORTER_OTLP_TRACES_\(name)") ?? configuration.string("OTEL_EXPORTER_OTLP_\(name)")
    }
    guard try !configuration.bool("OTEL_SDK_DISABLED", default: false),
      try configuration.choice("OTEL_TRACES_EXPORTER", default: "otlp", of: ["otlp", "none"]) == "otlp"
    else { return nil }
    if let own = configuration.string("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") {
      endpoint = own
    } else if let common = configuration.string("OTEL_EXPORTER_OTLP_ENDPOINT") {
      endpoint = common + (common.hasSuffix("/") ? "" : "/") + "v1/traces"
    } else {
      return nil
    }
    guard endpoint.hasPrefix("http://") || endpoint.hasPrefix("https://") else {
      throw ConfigurationError(key: "OTEL_EXPORTER_OTLP_ENDPOINT", problem: "must begin with http:// or https://")
    }
    if let wanted = value("PROTOCOL"), wanted != "http/protobuf" {
      throw ConfigurationError(key: "OTEL_EXPORTER_OTLP_PROTOCOL", problem: "must be http/protobuf")
    }
    let key = "OTEL_EXPORTER_OTLP_HEADERS"
    headers = try OTLPConfiguration.pairs(value("HEADERS"), key).map { "\($0): \($1)" }
    authorities = value("CERTIFICATE")
    let timeouts = ["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"]
    for name in timeouts where configuration.string(name) != nil {
      timeout = try configuration.int(name, default: timeout, in: 1...600_000)
      break
    }
    sampler = try OTLPConfiguration.sampler(configuration)
    resource = [("service.name", configuration.string("OTEL_SERVICE_NAME") ?? program)]
    let more = try OTLPConfiguration.pairs(
      configuration.string("OTEL_RESOURCE_ATTRIBUTES"), "OTEL_RESOURCE_ATTRIBUTES")
    resource += more.filter { $0.0 != "service.name" }
    delay = try configuration.int("OTEL_BSP_SCHEDULE_DELAY", default: 5_000, in: 1...600_000)
    queue = try configuration.int("OTEL_BSP_MAX_QUEUE_SIZE", default: 2048, in: 1...1_000_000)
    batch = try configuration.int("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", default: min(512, queue), in: 1...queue)
  }

  private static func sampler(_ configuration: Configuration) throws(ConfigurationError) -> Sampler {
    let key = "OTEL_TRACES_SAMPLER"
    let name = try configuration.choice(
      key, default: "parentbased_always_on",
      of: [
        "always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off",
        "parentbased_traceidratio",
      ])
    var ratio = name.hasSuffix("always_off") ? 0.0 : 1.0
    if name.hasSuffix("traceidratio"), let text = configuration.string(key + "_ARG") {
      guard let number = Double(text), (0...1).contains(number) else {
        throw ConfigurationError(key: key + "_ARG", problem: "must be a number from 0 to 1")
      }
      ratio = number
    }
    return Sampler(ratio: ratio, followsParent: name.hasPrefix("parentbased"))
  }

  /// `a=1,b=2`, values percent-encoded as in W3C Baggage.
  private static func pairs(_ text: String?, _ key: String) throws(ConfigurationError) -> [(String, String)] {
    var pairs: [(String, String)] = []
    for pair in (text ?? "").split(separator: ",") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { trimmed($0) }
      guard parts.count == 2, !parts[0].isEmpty, let value = percentDecoded(parts[1]),
        !(parts[0] + value).unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f })
      else { throw ConfigurationError(key: key, problem: "must be name=value pairs, separated by commas") }
      pairs.append((parts[0], value))
    }
    return pairs
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  private static func percentDecoded(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard rest.count >= 2, let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16) else { return nil }
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
