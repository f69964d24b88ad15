// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Configuration
internal import Curl
internal import Glibc
internal import JSONRPC
public import Logging
public import Metrics
internal import Synchronization
internal import Threading
public import Tracing

/// Sends spans to a collector by OTLP over HTTP, on a thread of its own. Spans wait in a bounded queue; what there is no
/// room for is counted and lost, and nobody ever waits for it.
///
/// Source: OpenTelemetry, "OTLP Specification", OTLP/HTTP.
public final class SpanExporter: Tracer {
  public let sampler: Sampler
  private let configuration: OTLPConfiguration
  private let logger: Logger
  private let waiting = Lock<[Span]>([])
  private let wake = WakeEvent()
  private let exported: Counter
  private let overflowed: Counter
  private let refused: Counter
  /// When it must have ended, in monotonic milliseconds; 0: it goes on.
  private let endsAt = Atomic<Int>(0)
  private let ended = WakeEvent()

  /// Before a request is repeated, in milliseconds: longer each time, up to a minute.
  private static let firstWait = 1_000
  private static let longestWait = 60_000
  /// A batch is given up after so many requests.
  private static let attempts = 6

  /// - Returns: nil where no collector is configured: nothing is recorded then.
  /// - Throws: `ConfigurationError`, or `CurlError` for an endpoint that is no URL.
  public static func configured(
    by configuration: Configuration, program: String, _ metrics: MetricsRegistry, _ logger: Logger
  ) throws -> SpanExporter? {
    guard let otlp = try OTLPConfiguration(configuration, program: program) else { return nil }
    return try SpanExporter(otlp, metrics, logger)
  }

  /// Starts the thread.
  public init(_ configuration: OTLPConfiguration, _ metrics: MetricsRegistry, _ logger: Logger) throws {
    self.configuration = configuration
    self.logger = logger
    sampler = configuration.sampler
    func counter(_ outcome: String) -> Counter {
      metrics.counter("assent_trace_spans_total", "Spans by what became of them", labels: [("outcome", outcome)])
    }
    exported = counter("exported")
    overflowed = counter("queueFull")
    refused = counter("notExported")
    let poster = try HTTPPoster(
      url: configuration.endpoint, headers: configuration.headers + ["Content-Type: application/x-protobuf"],
      authorities: configuration.authorities)
    let handover = Handover(poster)
    startThread(named: "otlp") { self.run(handover.take()) }
  }

  public func record(_ span: Span) {
    let count = waiting.withLock { waiting in
      if waiting.count < configuration.queue { waiting.append(span) } else { return 0 }
      return waiting.count
    }
    if count == 0 { overflowed.increment() }
    // Otherwise they wait for company.
    if count == configuration.batch { wake.signal() }
  }

  /// Sends what waits and ends the thread. Blocks for at most so many milliseconds.
  public func stop(grace: Int) {
    endsAt.store(Int(SpanExporter.now()) + grace, ordering: .releasing)
    wake.signal()
    ended.wait(atMost: grace)
  }

  // MARK: The thread

  private func run(_ poster: HTTPPoster) {
    let resource = ExportRequest.resource(
      [("telemetry.sdk.name", "assent"), ("telemetry.sdk.language", "swift")] + configuration.resource)
    while true {
      let isLast = endsAt.load(ordering: .acquiring) != 0
      var spans = waiting.withLock { waiting in
        let taken = waiting
        waiting = []
        return taken
      }[...]
      while !spans.isEmpty {
        let batch = spans.prefix(configuration.batch)
        spans = spans.dropFirst(batch.count)
        let body = ExportRequest.bytes(batch, resource: resource, offset: SpanExporter.clockOffset())
        (send(body, poster) ? exported : refused).increment(by: batch.count)
      }
      if isLast { break }
      if endsAt.load(ordering: .acquiring) == 0 { wake.wait(atMost: configuration.delay) }
    }
    ended.signal()
  }

  /// - Returns: whether the collector took it.
  private func send(_ body: [UInt8], _ poster: HTTPPoster) -> Bool {
    var wait = SpanExporter.firstWait
    var problem = ""
    for attempt in 1...SpanExporter.attempts {
      var pause = wait / 2 + Int.random(in: 0...wait / 2)
      do throws(CurlError) {
        let answer = try poster.post(body, timeout: min(configuration.timeout, timeLeft))
        if (200..<300).contains(answer.status) { return true }
        problem = "status \(answer.status)"
        guard [429, 502, 503, 504].contains(answer.status) else { break }
        if let asked = answer.retryAfterSeconds { pause = min(asked, SpanExporter.longestWait / 1000) * 1000 }
      } catch {
        problem = error.description
      }
      wait = min(wait * 2, SpanExporter.longestWait)
      guard attempt < SpanExporter.attempts, pause < timeLeft else { break }
      rest(pause)
    }
    logger.warning("spans could not be exported", ["problem": .string(problem)])
    return false
  }

  /// A stop does not cut it short, since it leaves a time for it; but what is signalled meanwhile is no end to it either.
  private func rest(_ milliseconds: Int) {
    let end = SpanExporter.now() + Int64(milliseconds)
    while true {
      let left = min(Int(end - SpanExporter.now()), timeLeft)
      if left <= 0 { return }
      wake.wait(atMost: left)
    }
  }

  /// In milliseconds; at least 1.
  private var timeLeft: Int {
    let end = endsAt.load(ordering: .acquiring)
    return end == 0 ? .max : max(1, end - Int(SpanExporter.now()))
  }

  private static func now() -> Int64 { nanoseconds(CLOCK_MONOTONIC) / 1_000_000 }

  private static func clockOffset() -> Int64 { nanoseconds(CLOCK_REALTIME) - nanoseconds(CLOCK_MONOTONIC) }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// Carries the handle to its thread, which takes it once and is the only one to use it: hence the unchecked Sendable.
private final class Handover: @unchecked Sendable {
  private var poster: HTTPPoster?
  init(_ poster: HTTPPoster) { self.poster = poster }

  func take() -> HTTPPoster {
    defer { poster = nil }
    return poster!
  }
}
