// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A queue from many threads to one, which sleeps while it is empty. The event is signalled only when the owner sleeps,
/// so a busy owner costs its senders no system call.
///
/// The owner either blocks in `take(into:)`, or polls `descriptor` beside others: `prepareToSleep()`, then poll unless
/// that returned false, then `wakeUp()`.
public final class Mailbox<Element: Sendable>: Sendable {
  private struct Queue {
    var elements: [Element] = []
    var isClosed = false
  }
  private let queue = Lock(Queue())
  private let event: WakeEvent
  private let asleep = Atomic<Bool>(false)

  /// - Parameter blocking: whether the owner uses `take(into:)`.
  public init(blocking: Bool = false) { event = WakeEvent(blocking: blocking) }

  public var descriptor: CInt { event.descriptor }
  public var isEmpty: Bool { queue.withLock { $0.elements.isEmpty } }

  /// - Returns: false when the mailbox is closed; the element was not taken.
  @discardableResult
  public func add(_ element: Element) -> Bool {
    let isTaken: Bool = queue.withLock { queue in
      guard !queue.isClosed else { return false }
      queue.elements.append(element)
      return true
    }
    if isTaken { notify() }
    return isTaken
  }

  /// - Returns: as `add(_:)`, for all or none.
  @discardableResult
  public func add(contentsOf elements: [Element]) -> Bool {
    let isTaken: Bool = queue.withLock { queue in
      guard !queue.isClosed else { return false }
      queue.elements.append(contentsOf: elements)
      return true
    }
    if isTaken, !elements.isEmpty { notify() }
    return isTaken
  }

  /// Takes nothing more from now on. What is queued waits for the owner's last `drain(into:)`.
  public func close() { queue.withLock { $0.isClosed = true } }

  /// Moves everything queued into `elements`, which must be empty, without waiting. The two arrays trade buffers.
  public func drain(into elements: inout [Element]) {
    let empty = elements
    elements = queue.withLock { queued in
      let taken = queued.elements
      queued.elements = empty
      return taken
    }
  }

  /// Blocks until something is queued, then moves all of it into `elements`, which must be empty.
  public func take(into elements: inout [Element]) {
    while true {
      drain(into: &elements)
      if !elements.isEmpty { return }
      if prepareToSleep() { event.clear() }
      asleep.store(false, ordering: .sequentiallyConsistent)
    }
  }

  /// Announces that the owner is about to wait. False: something arrived meanwhile, do not wait.
  public func prepareToSleep() -> Bool {
    asleep.store(true, ordering: .sequentiallyConsistent)
    if isEmpty { return true }
    asleep.store(false, ordering: .sequentiallyConsistent)
    return false
  }

  /// The owner is awake again. `signalled`: its poll saw `descriptor` readable.
  public func wakeUp(signalled: Bool) {
    asleep.store(false, ordering: .sequentiallyConsistent)
    if signalled { event.clear() }
  }

  private func notify() {
    if asleep.exchange(false, ordering: .sequentiallyConsistent) { GatheredWakes.signal(event) }
  }
}
