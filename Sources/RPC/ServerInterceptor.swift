// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Runs around every call's handler, in the order given to the dispatcher. For what concerns all methods alike.
public protocol ServerInterceptor: Sendable {
  /// Calls `next` with this context or another, or throws in its place.
  func intercept(
    _ method: MethodDescriptor, _ context: CallContext,
    next: @escaping @Sendable (CallContext) async throws -> [UInt8]
  ) async throws -> [UInt8]
}
