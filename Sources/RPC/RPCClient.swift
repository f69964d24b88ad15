// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Threading
internal import Tracing

/// Calls methods of a server through a transport, typed.
public struct RPCClient: Sendable {
  private let transport: any ClientTransport
  /// The calling program, as the called one sees it where no person or key is behind the call.
  private let name: String
  private let profiles: MethodProfiles

  /// - Parameter profiles: shared by the clients of one program.
  public init(_ transport: any ClientTransport, as name: String, profiles: MethodProfiles = MethodProfiles()) {
    self.transport = transport
    self.name = name
    self.profiles = profiles
  }

  /// Calls on behalf of `context`'s caller, within its deadline and trace.
  /// - Parameter idempotencyKey: of this call; nil for reads.
  /// - Throws: `RPCError`, the called method's or the transport's.
  public func call<Params, Result>(
    _ method: Method<Params, Result>, _ params: Params, for context: CallContext, idempotencyKey: String? = nil
  ) async throws -> Result {
    try await call(
      method, params, deadline: context.deadline,
      CallMetadata(
        trace: context.trace, principal: context.principal, idempotencyKey: idempotencyKey,
        requestId: context.requestId, locale: context.locale, gpc: context.gpc ? true : nil))
  }

  /// Calls as this service itself, in `app`, in a trace of its own.
  public func call<Params, Result>(
    _ method: Method<Params, Result>, _ params: Params, app: String = "default", requestId: String? = nil,
    deadline: Deadline, idempotencyKey: String? = nil
  ) async throws -> Result {
    try await call(
      method, params, deadline: deadline,
      CallMetadata(
        trace: .begun(), principal: Principal(kind: .service, app: app, name: name), idempotencyKey: idempotencyKey,
        requestId: requestId))
  }

  /// Calls with metadata of the caller's own making.
  public func call<Params, Result>(
    _ method: Method<Params, Result>, _ params: Params, deadline: Deadline, _ metadata: CallMetadata
  ) async throws -> Result {
    let request = OutboundRequest(
      body: try Request.bytes(id: 1, method: method.name, params: params), metadata: try JSON.encode(metadata),
      deadline: deadline, isIdempotent: method.descriptor.isIdempotent || metadata.idempotencyKey != nil,
      profile: profiles.profile(of: method.descriptor))
    let reply = await send(request)
    switch reply {
    case .failed(let error): throw error
    case .reply(let body, _):
      return try body.withUnsafeBytes { bytes in
        switch Response.parse(bytes) {
        case .error(_, let error): throw error
        case .result(_, let result):
          do {
            return try JSON.decode(Result.self, from: result)
          } catch {
            throw RPCError.internalError("\(method.name) gave a result of another shape", processed: .yes)
          }
        }
      }
    }
  }

  /// Sends and waits; a cancelled task cancels the call.
  private func send(_ request: OutboundRequest) async -> InboundReply {
    let sent = Lock<Sent>(.notYet)
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let token = transport.send(request) { continuation.resume(returning: $0) }
        let cancelled: Bool = sent.withLock { state in
          if case .cancelled = state { return true }
          state = .token(token)
          return false
        }
        if cancelled { transport.cancel(token) }
      }
    } onCancel: {
      let token: CallToken? = sent.withLock { state in
        if case .token(let token) = state { return token }
        state = .cancelled
        return nil
      }
      if let token { transport.cancel(token) }
    }
  }

  private enum Sent: Sendable { case notYet, token(CallToken), cancelled }
}
