// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// An eventfd: wakes a thread that waits in `poll`, or blocks in `wait()`.
public final class WakeEvent: Sendable {
  /// Readable once signalled, until `clear()`.
  public let descriptor: CInt

  /// - Parameter blocking: whether `wait()` may be used.
  public init(blocking: Bool = false) {
    descriptor = eventfd(0, CInt(EFD_CLOEXEC) | (blocking ? 0 : CInt(EFD_NONBLOCK)))
    precondition(descriptor >= 0, "eventfd failed with \(errno)")
  }

  deinit { close(descriptor) }

  public func signal() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  /// Waits until it is signalled or the time is over, and takes back what was signalled. For events that are not blocking.
  public func wait(atMost milliseconds: Int) {
    var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    if poll(&waited, 1, CInt(clamping: milliseconds)) > 0 { clear() }
  }

  /// Takes back what was signalled; blocks until then if this event was made `blocking`.
  public func clear() {
    var value: UInt64 = 0
    _ = read(descriptor, &value, 8)
  }
}
