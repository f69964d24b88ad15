// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import RPC
internal import Threading
internal import ZeroMQ

/// What other threads hand to a `SocketThread`.
enum LoopWork: Sendable {
  case run(@Sendable () -> Void)
  /// A task that goes on, here rather than on a thread of Swift's own.
  case resume(UnownedJob)
  /// A reply that was made on another thread.
  case reply(ReplyRoute, OutboundReply)
  case stop(finished: @Sendable () -> Void)
}

/// The inside of a `SocketThread`: waits, finds out whose turn it is, gives turns.
final class Loop {
  private final class Attachment {
    let member: any LoopMember
    var needsTurn = true
    var isAttached = true
    /// Its items' indices in the poller.
    var items: Range<Int> = 0..<0
    /// When it must have had a turn, in milliseconds of the monotonic clock. Stands until it has had one: members say how
    /// long from now, at each lap, and a loop that others keep waking would never come to it.
    var dueAt = Int64.max
    init(_ member: any LoopMember) { self.member = member }
  }

  private let mailbox: Mailbox<LoopWork>
  private let executor: UnownedTaskExecutor
  private let poller: Poller
  private var attachments: [Attachment] = []
  private var itemsAreStale = true
  private var work: [LoopWork] = []
  private var whenFinished: [@Sendable () -> Void] = []
  private var isStopping = false
  private(set) var isEndingLap = false

  /// - Throws: `ZeroMQError` when descriptors have run out.
  init(_ mailbox: Mailbox<LoopWork>, _ executor: LoopExecutor) throws(ZeroMQError) {
    self.mailbox = mailbox
    self.executor = executor.asUnownedTaskExecutor()
    poller = try Poller()
  }

  func run() {
    while true {
      takeWork()
      if isStopping { break }
      var isBusy = false
      for attachment in attachments where attachment.needsTurn && attachment.isAttached {
        attachment.needsTurn = false
        attachment.dueAt = .max
        if attachment.member.turn() { attachment.needsTurn = true }
      }
      isEndingLap = true
      for attachment in attachments {
        attachment.member.flush()
        if attachment.needsTurn { isBusy = true }
      }
      isEndingLap = false
      wait(isBusy: isBusy)
    }
    finish()
  }

  func attach(_ member: any LoopMember) {
    attachments.append(Attachment(member))
    itemsAreStale = true
  }

  func detach(_ member: any LoopMember) {
    for attachment in attachments where attachment.member === member { attachment.isAttached = false }
    attachments.removeAll { $0.member === member }
    itemsAreStale = true
    // The poller must not hold sockets that are about to be closed.
    replaceItems()
  }

  func pollItemsChanged() { itemsAreStale = true }

  func giveTurn(to member: any LoopMember) {
    for attachment in attachments where attachment.member === member { attachment.needsTurn = true }
  }

  private func takeWork() {
    mailbox.drain(into: &work)
    guard !work.isEmpty else { return }
    for item in work {
      switch item {
      case .run(let body): body()
      case .resume(let job): job.runSynchronously(on: executor)
      case .reply(let route, let reply): route.server.send(reply, to: route)
      case .stop(let finished):
        isStopping = true
        whenFinished.append(finished)
      }
    }
    work.removeAll(keepingCapacity: true)
  }

  private func wait(isBusy: Bool) {
    if itemsAreStale { replaceItems() }
    var timeout = milliseconds()
    // Looked at in each lap, also when there is work already: work that keeps coming must not keep clients waiting.
    if isBusy || !mailbox.prepareToSleep() { timeout = 0 }
    let ready: Int
    do {
      ready = try poller.poll(timeout: timeout)
    } catch {
      // Only a socket that was closed while it was polled, or a lack of memory.
      preconditionFailure("\(error)")
    }
    mailbox.wakeUp(signalled: ready > 0 && !poller.events(of: 0).isEmpty)
    giveDueTurns()
    for attachment in attachments {
      for index in attachment.items where !poller.events(of: index).isEmpty {
        attachment.needsTurn = true
        attachment.member.isReady(index - attachment.items.lowerBound)
      }
    }
  }

  private func giveDueTurns() {
    let now = MonotonicClock.milliseconds()
    for attachment in attachments where attachment.dueAt <= now { attachment.needsTurn = true }
  }

  /// Until the first member's time is over; -1 when none waits for a time.
  private func milliseconds() -> Int {
    let now = MonotonicClock.milliseconds()
    var first = Int64.max
    for attachment in attachments {
      if let timeout = attachment.member.nextTimeout() {
        attachment.dueAt = min(attachment.dueAt, now + Int64(max(0, timeout)))
      } else {
        attachment.dueAt = .max
      }
      first = min(first, attachment.dueAt)
    }
    return first == .max ? -1 : Int(max(0, first - now))
  }

  private func replaceItems() {
    var items = [PollItem(descriptor: mailbox.descriptor)]
    for attachment in attachments {
      let own = attachment.member.pollItems()
      attachment.items = items.count..<items.count + own.count
      items += own
    }
    poll(items)
    itemsAreStale = false
  }

  private func poll(_ items: [PollItem]) {
    // Only a descriptor that is none, or a lack of memory.
    do { try poller.replaceItems(items) } catch { preconditionFailure("\(error)") }
  }

  private func finish() {
    isEndingLap = true
    poll([])
    for attachment in attachments.reversed() { attachment.member.stop() }
    attachments = []
    mailbox.close()
    takeWork()
    for finished in whenFinished { finished() }
  }
}
