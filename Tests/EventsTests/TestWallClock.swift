// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import Threading

/// A clock that stands still until told.
final class TestWallClock: WallClock {
  private let time: Lock<Int64>
  init(milliseconds: Int64) { time = Lock(milliseconds) }
  func now() -> Timestamp { Timestamp(milliseconds: time.withLock { $0 }) }
  func advance(milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}
