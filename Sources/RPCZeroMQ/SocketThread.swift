// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Threading
public import ZeroMQ

/// The thread that owns a process's ZeroMQ context and all its sockets, and makes every call on them. Other threads hand
/// it work; its members (servers, clients, an HTTP listener) are given turns when something of theirs is ready.
public final class SocketThread: Sendable {
  /// For members to make their sockets from, on the thread.
  public let context: Context
  let mailbox: Mailbox<LoopWork>
  /// For tasks that are to run on the thread: such as seldom compute for long and never block.
  public let executor: any TaskExecutor
  private let thread: ThreadID
  // Used on the thread only, which `assertCurrent` checks.
  private nonisolated(unsafe) let loop: Loop

  /// Starts the thread.
  /// - Parameter name: shown by the operating system, at most 15 bytes of it.
  /// - Throws: `ZeroMQError` when descriptors have run out.
  public init(name: String = "bus") throws(ZeroMQError) {
    let context = try Context()
    let mailbox = Mailbox<LoopWork>()
    let executor = LoopExecutor(mailbox)
    nonisolated(unsafe) let loop = try Loop(mailbox, executor)
    let started = Mailbox<ThreadID>(blocking: true)
    startThread(named: name) {
      started.add(.current)
      loop.run()
    }
    var thread: [ThreadID] = []
    started.take(into: &thread)
    self.context = context
    self.mailbox = mailbox
    self.executor = executor
    self.loop = loop
    self.thread = thread[0]
  }

  deinit { mailbox.add(.stop(finished: {})) }

  /// Whether the caller is on this thread.
  @inline(__always)
  public var isCurrent: Bool { ThreadID.current == thread }

  /// Runs `work` on the thread, soon, in the order of the calls.
  /// - Returns: false when the thread has ended; `work` will not run.
  @discardableResult
  public func perform(_ work: @escaping @Sendable () -> Void) -> Bool { mailbox.add(.run(work)) }

  /// Runs `work` on the thread and gives what it gives.
  /// - Throws: `SocketThreadEnded`, or what `work` throws.
  public func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      let isTaken = perform { continuation.resume(with: Result(catching: work)) }
      if !isTaken { continuation.resume(throwing: SocketThreadEnded()) }
    }
  }

  /// Stops the members, last attached first, closes what they held and ends the thread. Returns when that is done; the
  /// context goes with the last reference to it, which waits for lingering messages (at most a second).
  public func stop() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      if !mailbox.add(.stop(finished: { continuation.resume() })) { continuation.resume() }
    }
  }
}

/// The thread has ended, so nothing can be run on it.
public struct SocketThreadEnded: Error {
  public init() {}
}

// MARK: For members, on the thread

extension SocketThread {
  public func attach(_ member: any LoopMember) {
    assertCurrent()
    loop.attach(member)
  }

  /// Gives the member no more turns. Does not stop it.
  public func detach(_ member: any LoopMember) {
    assertCurrent()
    loop.detach(member)
  }

  /// `member.pollItems()` has changed.
  public func pollItemsChanged(of member: any LoopMember) {
    assertCurrent()
    loop.pollItemsChanged()
  }

  /// Calls `member.turn()` before the loop sleeps, because another member has left something for it to do.
  public func giveTurn(to member: any LoopMember) {
    assertCurrent()
    loop.giveTurn(to: member)
  }

  /// The lap's flushes have begun: what is gathered now may wait for the next lap's.
  var isEndingLap: Bool { loop.isEndingLap }

  func assertCurrent() { assert(isCurrent, "called off the socket thread") }
}
