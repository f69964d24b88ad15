// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Makes ids of traces and spans: random, since samplers decide by them, and none of them a secret. For one thread.
///
/// Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (SplitMix64).
public struct TraceIDs: Sendable {
  private var state: UInt64

  /// - Parameter seed: another one for every generator.
  public init(seed: UInt64 = .random(in: .min ... .max)) { state = seed }

  /// Never 0.
  @inline(__always)
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    value ^= value >> 31
    return value == 0 ? 1 : value
  }

  /// A span of its own in the caller's trace, or in a new one that `sampler` decides about.
  /// - Parameters:
  ///   - caller: nil: the caller sent no trace.
  ///   - sampler: nil: nothing is recorded here.
  @inline(__always)
  public mutating func span(for caller: TraceContext?, _ sampler: Sampler?) -> TraceContext {
    guard let caller else {
      let (high, low) = (next(), next())
      return TraceContext(
        traceHigh: high, traceLow: low, span: next(), isSampled: sampler?.samples(traceLow: low, caller: nil) ?? false)
    }
    return TraceContext(
      traceHigh: caller.traceHigh, traceLow: caller.traceLow, span: next(), parent: caller.span,
      isSampled: sampler?.samples(traceLow: caller.traceLow, caller: caller.isSampled) ?? caller.isSampled)
  }
}

extension TraceContext {
  /// A trace that begins here, not sampled: for background work and tests. From any thread.
  public static func begun() -> TraceContext {
    var ids = TraceIDs()
    return ids.span(for: nil, nil)
  }
}
