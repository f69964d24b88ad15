// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// What became of a delivered event.
public enum Acceptance: String, Codable, Sendable, CaseIterable {
  /// New and taken, with or without effect.
  case applied
  /// Taken before.
  case duplicate
  /// An earlier one is missing: deliver from there again.
  case gap
  /// Another event took its place: two histories of one subject exist. Never resolves by itself.
  case conflict

  /// Whether the event need not be delivered again.
  public var isSettled: Bool { self == .applied || self == .duplicate }
}
