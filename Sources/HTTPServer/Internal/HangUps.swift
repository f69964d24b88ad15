// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Tells which clients closed their side. libmicrohttpd does not watch the socket of a suspended connection, so an epoll
/// of our own does, edge-triggered: one event for each client in its life. A closed descriptor leaves by itself.
struct HangUps: ~Copyable {
  let descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))

  deinit { close(descriptor) }

  func watch(_ socket: CInt, as bits: UInt64) {
    var event = epoll_event(events: EPOLLRDHUP.rawValue | EPOLLET.rawValue, data: epoll_data_t(u64: bits))
    epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event)
  }

  /// Calls `body` with the bits of each client that has hung up since the last call.
  func forEach(_ body: (UInt64) -> Void) {
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
      while true {
        let count = Int(epoll_wait(descriptor, events.baseAddress, 64, 0))
        guard count > 0 else { return }
        for index in 0..<count { body(events[index].data.u64) }
        guard count == 64 else { return }
      }
    }
  }
}
