// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Threading

/// Runs tasks on a socket thread: what a handler does after a wait ends in a reply that this thread sends, so going on
/// there saves the hand-over to one of Swift's threads and the one back.
///
/// Once the thread has ended, tasks go on on Swift's threads: none is lost.
final class LoopExecutor: TaskExecutor {
  private let mailbox: Mailbox<LoopWork>

  init(_ mailbox: Mailbox<LoopWork>) { self.mailbox = mailbox }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if !mailbox.add(.resume(job)) { globalConcurrentExecutor.enqueue(job) }
  }
}
