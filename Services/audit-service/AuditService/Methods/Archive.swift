// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import SettingsContracts

/// `events.marks`, `events.archived` and `events.erased`: events for the service that made them, whose store was restored from a backup, and
/// for those that subscribe to it. Nobody else is given any.
struct Archive: Sendable {
  private static let highestLimit = 1_000
  private static let highestSubjects = 500

  let reader: EventReader

  func register(on router: inout MethodRouter) {
    router.on(EventMethods.marks) { params, context in try await marks(params, context) }
    router.on(EventMethods.archived) { params, context in try await events(params, context) }
    router.on(EventMethods.erased) { params, context in try await erased(params, context) }
  }

  private func marks(_ params: EventMarksParams, _ context: CallContext) async throws -> EventMarks {
    try Self.check(params.source, params.limit, context)
    guard let app = params.app else {
      return EventMarks(marks: try await reader.newest(params.source, limit: params.limit))
    }
    return try await reader.marks(app, params.source, before: params.before, limit: params.limit)
  }

  private func events(_ params: ArchivedEventsParams, _ context: CallContext) async throws -> ArchivedEvents {
    try Self.check(params.source, params.limit, context)
    return try await reader.events(params.app, params.source, after: params.after, limit: params.limit)
  }

  /// Erased subjects are known by reference alone, so who asks must name them.
  private func erased(_ params: ErasedSubjectsParams, _ context: CallContext) async throws -> ErasedSubjects {
    guard context.principal.kind == .service else { throw RPCError.permissionDenied("this is for services") }
    guard params.subjects.count <= Self.highestSubjects else {
      throw RPCError.invalidParams("subjects", "\(params.subjects.count) are more than \(Self.highestSubjects)")
    }
    return ErasedSubjects(subjects: try await reader.erased(params.app, params.subjects))
  }

  private static func check(_ source: String, _ limit: Int, _ context: CallContext) throws(RPCError) {
    guard context.principal.kind == .service, let reader = context.principal.name,
      reader == source || ServiceMap.sources(of: reader).contains(source)
    else {
      throw .permissionDenied(
        "source: a service reads its own events, and those that it subscribes to", field: "source")
    }
    guard (1...highestLimit).contains(limit) else {
      throw .invalidParams("limit", "\(limit) is not in 1...\(highestLimit)")
    }
  }
}
