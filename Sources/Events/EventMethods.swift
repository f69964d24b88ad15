// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC
public import RPC

/// How events travel between services. Inboxes take each event once, so a delivery may be repeated.
public enum EventMethods {
  public static let deliver = Method<DeliverParams, DeliverResult>(
    "events.deliver", "Takes events of another service, in order per subject.", Access(services: ["*"]),
    effect: .write, idempotent: true)

  /// The same method as the relay calls it: the events go out as the outbox holds them.
  public static let deliverEncoded = Method<EncodedEvents, DeliverResult>(
    deliver.name, deliver.descriptor.summary, deliver.descriptor.access, effect: .write, idempotent: true)

  /// Answered by audit-service, to the service whose events they are and to those that subscribe to it.
  public static let marks = Method<EventMarksParams, EventMarks>(
    "events.marks", "The newest events that were taken of a source, newest first.", Access(services: ["*"]))

  /// As `marks`.
  public static let archived = Method<ArchivedEventsParams, ArchivedEvents>(
    "events.archived", "A source's events as they were taken, oldest first.", Access(services: ["*"]))

  /// As `marks`.
  public static let erased = Method<ErasedSubjectsParams, ErasedSubjects>(
    "events.erased", "Which of these subjects have been erased.", Access(services: ["*"]))

  /// Events are taken from the service that made them only.
  /// - Throws: PERMISSION_DENIED.
  public static func checkSource(_ sources: some Sequence<String>, _ context: CallContext) throws(RPCError) {
    guard context.principal.kind == .service else {
      throw .permissionDenied("events are taken from services only")
    }
    for source in sources where source != context.principal.name {
      throw .permissionDenied("events[].source: a service delivers its own events only", field: "events[].source")
    }
  }

  public static let all: [MethodDescriptor] = [
    deliver.descriptor, marks.descriptor, archived.descriptor, erased.descriptor,
  ]
}

/// A batch of one source's events; those of one subject in order.
public struct DeliverParams: Codable, Sendable {
  public var events: [Event]
  public init(events: [Event]) { self.events = events }

  public func checkSource(_ context: CallContext) throws(RPCError) {
    try EventMethods.checkSource(events.lazy.map(\.source), context)
  }
}

/// `DeliverParams` whose events are JSON already.
public struct EncodedEvents: Codable, Sendable {
  public var events: [RawJSON]
  public init(events: [RawJSON]) { self.events = events }

  public func decoded() throws -> [Event] { try events.map { try JSON.decode(Event.self, from: $0.bytes) } }
}

/// One outcome per event, in order.
public struct DeliverResult: Codable, Sendable {
  public var outcomes: [Acceptance]
  public init(outcomes: [Acceptance]) { self.outcomes = outcomes }
}
