// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC
public import RPC

/// How events travel between services.
public enum EventMethods {
  public static let deliver = Method<DeliverParams, DeliverResult>(
    "events.deliver", "Takes events of another service, in order per subject.", Access(services: ["*"]),
    effect: .write)

  public static let all: [MethodDescriptor] = [deliver.descriptor]
}

/// A batch of one source's events; those of one subject in order.
public struct DeliverParams: Codable, Sendable {
  public var events: [Event]
  public init(events: [Event]) { self.events = events }

  /// Events are taken from the service that made them only.
  /// - Throws: PERMISSION_DENIED.
  public func checkSource(_ context: CallContext) throws(RPCError) {
    guard context.principal.kind == .service else {
      throw .permissionDenied("events are taken from services only")
    }
    for event in events where event.source != context.principal.name {
      throw .permissionDenied("events[].source: a service delivers its own events only")
    }
  }
}

/// One outcome per event, in order.
public struct DeliverResult: Codable, Sendable {
  public var outcomes: [Acceptance]
  public init(outcomes: [Acceptance]) { self.outcomes = outcomes }
}

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
