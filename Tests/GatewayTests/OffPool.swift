// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Threading

/// Runs what blocks on a thread of its own: the pool's few threads are needed by the services' handlers.
func offPool<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    startThread(named: "blocking") { continuation.resume(with: Result(catching: body)) }
  }
}
