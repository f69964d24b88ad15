// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

package import JSONRPC

/// A call whose params have been decoded. Runs where it is called until it waits for something; gives the result's JSON.
package typealias PreparedCall = nonisolated(nonsending) @Sendable (CallContext) async throws -> [UInt8]

/// What has become of a call by the time its params are decoded.
package enum Preparation: Sendable {
  /// It is answered already, with this JSON.
  case result([UInt8])
  case call(PreparedCall)
}

/// A method's handler with its types erased: decodes the params where they lie, runs, encodes the result.
public struct RegisteredMethod: Sendable {
  public let descriptor: MethodDescriptor
  /// Decodes now, on the calling thread, while the message's bytes are there; what it returns runs later.
  /// - Parameter context: nil where the call may not be answered at once.
  package let prepare:
    @Sendable (_ message: MessageParser, _ request: ParsedRequest, _ context: CallContext?) throws(RPCError) ->
      Preparation
}

/// The methods a server answers, by name.
public struct MethodRouter: Sendable {
  public private(set) var methods: [String: RegisteredMethod] = [:]

  public init() {}

  /// Answers `method` with `handler`, which begins on the transport's thread.
  /// - Precondition: no method of that name is registered.
  public mutating func on<Params, Result>(
    _ method: Method<Params, Result>,
    _ handler: nonisolated(nonsending) @escaping @Sendable (Params, CallContext) async throws -> Result
  ) {
    register(method) { message, request, _ throws(RPCError) in
      let params = try message.params(Params.self, of: request)
      return .call { context in try JSON.encode(await handler(params, context)) }
    }
  }

  /// Answers `method` with what `known` gives, and where that is nil as `on(_:_:)` does. A call that is answered at once
  /// costs no task: for methods whose answers mostly lie in memory.
  /// - Parameter known: never waits, and changes nothing.
  /// - Precondition: no method of that name is registered.
  public mutating func on<Params, Result>(
    _ method: Method<Params, Result>, known: @escaping @Sendable (Params, CallContext) throws -> Result?,
    else handler: nonisolated(nonsending) @escaping @Sendable (Params, CallContext) async throws -> Result
  ) {
    register(method) { message, request, context throws(RPCError) in
      let params = try message.params(Params.self, of: request)
      do {
        if let context, let result = try known(params, context) { return .result(try JSON.encode(result)) }
      } catch {
        // Failures have one way to the caller.
        return .call { _ in throw error }
      }
      return .call { context in try JSON.encode(await handler(params, context)) }
    }
  }

  private mutating func register<Params, Result>(
    _ method: Method<Params, Result>,
    _ prepare:
      @escaping @Sendable (_ message: MessageParser, _ request: ParsedRequest, _ context: CallContext?)
      throws(RPCError) -> Preparation
  ) {
    precondition(methods[method.name] == nil, "\(method.name) is registered twice")
    methods[method.name] = RegisteredMethod(descriptor: method.descriptor, prepare: prepare)
  }
}
