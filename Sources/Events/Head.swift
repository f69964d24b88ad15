// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Where a subject stands in one service.
public struct Head: Sendable, Hashable {
  /// From 1; one higher each time the subject comes back after a deletion.
  public let generation: Int64
  /// Counts the subject's writes, across generations. What results call `revision`.
  public let seq: Int64

  public init(generation: Int64, seq: Int64) {
    self.generation = generation
    self.seq = seq
  }
}
