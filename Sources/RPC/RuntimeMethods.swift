// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// The methods every server answers.
public enum RuntimeMethods {
  public static let health = Method<Empty, HealthResult>(
    "rpc.health", "Whether this program, and each part it depends on, can serve", .anyone)
  public static let stats = Method<Empty, StatisticsResult>(
    "rpc.stats",
    "Calls, errors, calls in flight and latency of each method since the start, and this process's metrics",
    Access(roles: ["operator"], services: ["*"]))
  public static let cancel = Method<CancelParams, CancelResult>(
    "rpc.cancel", "Takes back a call of the same connection; that call is still answered exactly once", .anyone,
    effect: .write)
  public static let discover = Method<Empty, RawJSON>(
    "rpc.discover", "The OpenRPC document of the methods answered here", .anyone)
}

public struct HealthResult: Codable, Sendable {
  public var status: Health.Status
  /// By service, as gRPC's health protocol: what this program serves and depends on.
  public var services: [String: Health.Status]
  /// By service, for those that are kept from serving or lack something: what is wrong, and what an operator does about it.
  public var reasons: [String: String]?
  public init(status: Health.Status, services: [String: Health.Status], reasons: [String: String]? = nil) {
    self.status = status
    self.services = services
    self.reasons = reasons
  }
}

public struct CancelParams: Codable, Sendable {
  /// The `id` of the call, as it was sent; between Assent's own hops the correlation frame in hexadecimal.
  public var id: RawJSON
  public init(id: RawJSON) { self.id = id }

  /// - Throws: INVALID_PARAMS when it can be no call's id.
  package func requestID() throws(RPCError) -> RequestID {
    guard let first = id.bytes.first, first == UInt8(ascii: "\"") || first == UInt8(ascii: "-") || 0x30...0x39 ~= first
    else { throw .invalidParams("id", "must be a string or a number") }
    return RequestID(bytes: id.bytes)
  }
}

public struct CancelResult: Codable, Sendable {
  /// Whether the call was still running.
  public var found: Bool
  public init(found: Bool) { self.found = found }
}

public struct StatisticsResult: Codable, Sendable {
  /// This process, new at each start.
  public var instance: String
  public var uptimeMs: Int64
  public var inFlight: Int
  public var methods: [MethodStatistics]
  /// Every other number of this process by its name and labels, as Prometheus would get it; histograms are left out.
  public var metrics: [String: Double]?

  public init(
    instance: String, uptimeMs: Int64, inFlight: Int, methods: [MethodStatistics], metrics: [String: Double]? = nil
  ) {
    self.instance = instance
    self.uptimeMs = uptimeMs
    self.inFlight = inFlight
    self.methods = methods
    self.metrics = metrics
  }
}

public struct MethodStatistics: Codable, Sendable {
  public var name: String
  public var calls: Int
  public var errors: Int
  public var inFlight: Int
  /// Upper bounds of power-of-two buckets, in microseconds; absent before the first call.
  public var p50Micros: Int?
  public var p99Micros: Int?
  /// Errors by `error.data.status`; absent when there are none.
  public var errorsByStatus: [String: Int]?

  public init(
    name: String, calls: Int, errors: Int, inFlight: Int, p50Micros: Int? = nil, p99Micros: Int? = nil,
    errorsByStatus: [String: Int]? = nil
  ) {
    self.name = name
    self.calls = calls
    self.errors = errors
    self.inFlight = inFlight
    self.p50Micros = p50Micros
    self.p99Micros = p99Micros
    self.errorsByStatus = errorsByStatus
  }
}
