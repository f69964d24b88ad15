// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import RPCZeroMQ

extension SocketThread {
  /// Runs `work` at once if this is the thread, else on it, soon. Replies of the bus come on the thread already; those
  /// of other transports do not.
  @inline(__always)
  func onThread(_ work: @escaping @Sendable () -> Void) {
    if isCurrent { work() } else { perform(work) }
  }
}
