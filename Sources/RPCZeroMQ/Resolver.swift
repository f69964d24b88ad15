// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import RPC
internal import Threading
internal import ZeroMQ

/// Finds all addresses that endpoints stand for, again and again, on a thread of its own: libzmq would look up a name on
/// its IO thread, block every connection meanwhile, and use the first address only.
public final class Resolver: Sendable {
  /// The numeric addresses of a host name; none when it is not known now. May block.
  public typealias LookUp = @Sendable (_ host: String) -> [String]

  private let wake = WakeEvent()
  private let isStopped = Lock(false)

  /// After a look-up that found nothing, in milliseconds.
  private static let impatience = 500
  /// Between two look-ups, however often they are asked for, in milliseconds.
  private static let pause = 200

  /// Starts the thread.
  /// - Parameters:
  ///   - endpoints: those without a name stand for themselves.
  ///   - interval: between two look-ups, in milliseconds.
  ///   - found: called on the thread with all numeric endpoints, sorted, after each look-up that found any.
  public init(
    _ endpoints: [String], interval: Int, lookUp: @escaping LookUp,
    found: @escaping @Sendable (_ endpoints: [String]) -> Void
  ) {
    startThread(named: "resolver") { [wake, isStopped] in
      while true {
        let addresses = Resolver.resolve(endpoints, lookUp)
        if isStopped.withLock({ $0 }) { return }
        if !addresses.isEmpty { found(addresses) }
        let began = MonotonicClock.milliseconds()
        wake.wait(atMost: addresses.isEmpty ? min(interval, Resolver.impatience) : interval)
        let left = Int64(Resolver.pause) - (MonotonicClock.milliseconds() - began)
        if left > 0 { wake.wait(atMost: Int(left)) }
      }
    }
  }

  deinit { stop() }

  /// Looks again at once, since something does not work.
  public func resolveSoon() { wake.signal() }

  public func stop() {
    isStopped.withLock { $0 = true }
    wake.signal()
  }

  /// One or several, separated by commas.
  public static func split(_ endpoints: String) -> [String] {
    endpoints.split(separator: ",").map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
  }

  private static func resolve(_ endpoints: [String], _ lookUp: LookUp) -> [String] {
    var found: Set<String> = []
    for endpoint in endpoints {
      guard !Endpoint.isNumeric(endpoint), let (host, port) = Endpoint.hostAndPort(endpoint) else {
        found.insert(endpoint)
        continue
      }
      for address in lookUp(host) {
        found.insert(address.contains(":") ? "tcp://[\(address)]:\(port)" : "tcp://\(address):\(port)")
      }
    }
    return found.sorted()
  }
}
