// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Records what was done, where traces are exported; elsewhere there is none.
public protocol Tracer: Sendable {
  var sampler: Sampler { get }

  /// Takes a sampled span that has ended, from any thread. Never blocks; what there is no room for is counted and lost.
  func record(_ span: Span)
}

/// A call that was answered.
public struct Span: Sendable {
  public var context: TraceContext
  /// The method.
  public var name: String
  /// In monotonic nanoseconds.
  public var began: UInt64
  public var ended: UInt64
  /// The JSON-RPC error code that it was answered with, and its name.
  public var error: (code: Int, type: String)?
  public var requestId: String

  public init(
    _ context: TraceContext, name: String, began: UInt64, ended: UInt64, error: (code: Int, type: String)?,
    requestId: String
  ) {
    self.context = context
    self.name = name
    self.began = began
    self.ended = ended
    self.error = error
    self.requestId = requestId
  }
}
