// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Which spans are recorded.
///
/// Source: OpenTelemetry specification, "Tracing SDK", section Sampling.
public struct Sampler: Sendable, Equatable {
  /// Whether the caller's decision stands where there is one.
  public var followsParent: Bool
  /// The fraction of the traces that are recorded, of those that nobody has decided about.
  private let below: UInt64

  /// - Parameter ratio: 0 to 1.
  public init(ratio: Double, followsParent: Bool) {
    self.followsParent = followsParent
    below = UInt64((min(1, max(0, ratio)) * Double(Sampler.range)).rounded())
  }

  /// The lower 56 bits of a trace's id are random.
  private static let range: UInt64 = 1 << 56

  /// Whether the spans of a trace are recorded here.
  /// - Parameter caller: what the caller decided; nil: nobody has.
  public func samples(traceLow: UInt64, caller: Bool?) -> Bool {
    if followsParent, let caller { return caller }
    return traceLow & (Sampler.range - 1) < below
  }
}
