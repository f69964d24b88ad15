// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// A method, declared once: its name, its types, who may call it and whether it may be repeated. Shared by the service
/// that answers it, its callers, the gateway and the OpenRPC document.
public struct Method<Params: Codable & Sendable, Result: Codable & Sendable>: Sendable {
  public let descriptor: MethodDescriptor
  public var name: String { descriptor.name }

  /// - Parameters:
  ///   - hedged: for quick reads that many wait for.
  ///   - idempotent: a write that can be run again without an idempotency key.
  ///   - waits: it may wait for something to happen: that it takes long is no fault of the service's.
  public init(
    _ name: String, _ summary: String, _ access: Access, effect: MethodDescriptor.Effect = .read,
    errors: [ErrorCode] = [], deprecated: Bool = false, hedged: Bool = false, idempotent: Bool = false,
    waits: Bool = false
  ) {
    precondition(!hedged || effect == .read, "\(name): only reads are hedged")
    descriptor = MethodDescriptor(
      name: name, summary: summary, access: access, effect: effect, isHedged: hedged,
      isIdempotent: idempotent || effect == .read, waits: waits, errors: errors,
      deprecated: deprecated, params: Params.self, result: Result.self)
  }
}

/// A method without its types.
public struct MethodDescriptor: Sendable {
  public enum Effect: String, Sendable, Codable {
    /// Changes nothing: may be repeated freely.
    case read
    /// Changes something; repeating it with the same idempotency key gives the first outcome.
    case write
  }
  public let name: String
  public let summary: String
  public let access: Access
  public let effect: Effect
  /// A caller may ask a second replica when the first takes longer than most calls do, and take the first answer.
  public let isHedged: Bool
  /// Running it twice does no harm, whatever came with it.
  public let isIdempotent: Bool
  /// It may wait for something to happen, for as long as its caller does.
  public let waits: Bool
  /// The domain errors it may answer beside those that every method may.
  public let errors: [ErrorCode]
  public let deprecated: Bool
  public let params: any (Codable & Sendable).Type
  public let result: any (Codable & Sendable).Type
}

/// Params or result of a method that has none: `{}`.
public struct Empty: Codable, Sendable, Hashable {
  private enum CodingKeys: CodingKey {}
  public init() {}
  /// Asks for its members, none, so that any that is there is refused.
  public init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: CodingKeys.self) }
}
