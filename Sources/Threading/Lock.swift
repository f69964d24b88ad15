// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CTSan
internal import Synchronization

/// A mutual-exclusion lock around a value, like `Mutex`, that can be shared by reference and that ThreadSanitizer
/// understands on Linux (it does not see the futex inside `Mutex`).
public final class Lock<State: ~Copyable>: Sendable {
  private let mutex: Mutex<State>

  public init(_ state: consuming sending State) { mutex = Mutex(state) }

  @inline(__always)
  public func withLock<R: ~Copyable>(_ body: (inout sending State) throws -> sending R) rethrows -> sending R {
    let me = Unmanaged.passUnretained(self).toOpaque()
    return try mutex.withLock { state in
      assent_tsan_acquire(me)
      defer { assent_tsan_release(me) }
      return try body(&state)
    }
  }
}
