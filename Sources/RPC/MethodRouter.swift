// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

package import JSONRPC

/// A call whose params have been decoded. Runs where it is called until it waits for something; gives the result's JSON.
package typealias PreparedCall = nonisolated(nonsending) @Sendable (CallContext) async throws -> [UInt8]

/// A method's handler with its types erased: decodes the params where they lie, runs, encodes the result.
public struct RegisteredMethod: Sendable {
  public let descriptor: MethodDescriptor
  /// Decodes now, on the calling thread, while the message's bytes are there; what it returns runs later.
  package let prepare: @Sendable (_ message: MessageParser, _ request: ParsedRequest) throws(RPCError) -> PreparedCall
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
    precondition(methods[method.name] == nil, "\(method.name) is registered twice")
    methods[method.name] = RegisteredMethod(descriptor: method.descriptor) {
      message, request throws(RPCError) in
      let params = try message.params(Params.self, of: request)
      return { context in try JSON.encode(await handler(params, context)) }
    }
  }
}
