// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Threading

/// Every metric of a process, rendered in Prometheus's text format (version 0.0.4).
public final class MetricsRegistry: Sendable {
  private struct Family {
    var kind: String
    var help: String
    /// Rendered label sets, in order of creation, with what renders their samples.
    var samples: [(labels: String, render: @Sendable (_ name: String, _ labels: String) -> String)] = []
  }
  private let families = Lock<[String: Family]>([:])

  public init() {}

  public func counter(_ name: String, _ help: String, labels: [(String, String)] = []) -> Counter {
    let counter = Counter()
    add(name, "counter", help, labels) { "\($0)\($1) \(counter.value)\n" }
    return counter
  }

  public func gauge(_ name: String, _ help: String, labels: [(String, String)] = []) -> Gauge {
    let gauge = Gauge()
    add(name, "gauge", help, labels) { "\($0)\($1) \(gauge.value)\n" }
    return gauge
  }

  /// A value that is read when the metrics are.
  public func reading(
    _ name: String, _ help: String, labels: [(String, String)] = [], kind: String = "gauge",
    _ read: @escaping @Sendable () -> Double
  ) {
    add(name, kind, help, labels) { name, labels in
      let value = read()
      let text = value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
      return "\(name)\(labels) \(text)\n"
    }
  }

  public func histogram(_ name: String, _ help: String, labels: [(String, String)] = []) -> Histogram {
    let histogram = Histogram()
    add(name, "histogram", help, labels) { histogram.render($0, $1) }
    return histogram
  }

  public func render() -> String {
    families.withLock { families in
      var text = ""
      for (name, family) in families.sorted(by: { $0.key < $1.key }) {
        text += "# HELP \(name) \(family.help)\n# TYPE \(name) \(family.kind)\n"
        for sample in family.samples { text += sample.render(name, sample.labels) }
      }
      return text
    }
  }

  private func add(
    _ name: String, _ kind: String, _ help: String, _ labels: [(String, String)],
    render: @escaping @Sendable (String, String) -> String
  ) {
    let rendered = labels.isEmpty ? "" : "{" + labels.map { "\($0)=\"\(escape($1))\"" }.joined(separator: ",") + "}"
    families.withLock { families in
      families[name, default: Family(kind: kind, help: help)].samples.append((rendered, render))
    }
  }

  private func escape(_ value: String) -> String {
    var text = ""
    for character in value {
      switch character {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.append(character)
      }
    }
    return text
  }
}
