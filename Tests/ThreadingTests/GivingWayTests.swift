// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import Testing
import Threading

@Suite struct GivingWayTests {
  @Test func threadsOfOneCoreTakeTurnsByPieces() {
    // Each piece takes microseconds, all of them less than a tick or two: without giving way, one thread does most of its
    // own before the other has its first.
    let pieces = 400
    let log = Lock<[Int]>([])
    let ready = Atomic(0)
    let done = (0..<2).map { _ in WakeEvent(blocking: true) }
    let core = currentCore()
    for number in 0..<2 {
      startThread(named: "piece-\(number)") {
        stay(on: core)
        ready.add(1, ordering: .sequentiallyConsistent)
        while ready.load(ordering: .sequentiallyConsistent) < 2 { sched_yield() }
        for _ in 0..<pieces {
          log.withLock { $0.append(number) }
          giveWay()
        }
        done[number].signal()
      }
    }
    for event in done { event.clear() }
    let order = log.withLock { $0 }
    let turns = zip(order, order.dropFirst()).count { $0 != $1 }
    #expect(order.count == 2 * pieces)
    #expect(turns > pieces / 4, "the threads took turns \(turns) times")
  }
}

/// The core that runs the calling thread.
private func currentCore() -> Int {
  Int(unsafeBitCast(dlsym(nil, "sched_getcpu"), to: (@convention(c) () -> CInt).self)())
}

/// Keeps the calling thread on one core. By name, since `sched.h` has this for `_GNU_SOURCE` alone, which Swift does not set.
private func stay(on core: Int) {
  typealias SetAffinity = @convention(c) (pid_t, Int, UnsafeRawPointer) -> CInt
  var set = [UInt8](repeating: 0, count: MemoryLayout<cpu_set_t>.size)
  set[core / 8] = 1 << (core % 8)
  let result = unsafeBitCast(dlsym(nil, "sched_setaffinity"), to: SetAffinity.self)(0, set.count, set)
  precondition(result == 0, "sched_setaffinity failed")
}
