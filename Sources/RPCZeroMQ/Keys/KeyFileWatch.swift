// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization
internal import Threading

/// Looks every half second whether key files have changed, on a thread of its own: a disk may block.
///
/// By their metadata, not by inotify, which sees nothing of a file that was mounted alone or lies on another machine. A
/// file is read when it has stayed the same for one look, so that one that is being written is not read halfway.
final class KeyFileWatch: Sendable {
  private let event = WakeEvent()
  private let isStopped = Atomic<Bool>(false)

  /// - Parameters:
  ///   - loaded: of the files as they are known.
  ///   - changed: called on the watch's thread with what the files hold, or why they cannot be used, once a change.
  init(
    _ files: KeyFiles, loaded: KeyFiles.Fingerprint, interval: Int,
    changed: @escaping @Sendable (Result<KeyFiles.Contents, any Error>) -> Void
  ) {
    startThread(named: "keys") { [self] in
      var known = loaded
      var seen = loaded
      while true {
        var descriptor = pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&descriptor, 1, CInt(interval))
        if isStopped.load(ordering: .acquiring) { return }
        let now = files.fingerprint
        defer { seen = now }
        guard now != known, now == seen else { continue }
        known = now
        changed(Result { try files.read() })
      }
    }
  }

  func stop() {
    isStopped.store(true, ordering: .releasing)
    event.signal()
  }
}
