// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// How the system shares its cores among our threads.
public enum Scheduling {
  /// A woken thread waits for a core instead of taking that of the thread that woke it. A call wakes some ten threads on
  /// its way through gateway, service and libzmq; taking turns at each wake, they all work in batches of one, and on
  /// cores that are busy a call costs half as much again. Where a core is idle nothing changes.
  ///
  /// Call first in `main`: threads started later inherit it. A system that does not allow it leaves things as they are.
  ///
  /// Source: sched(7), SCHED_BATCH.
  public static func favourBatches() {
    _ = assent_schedule_in_batches()
  }
}
