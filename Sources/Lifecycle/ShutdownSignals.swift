// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Threading

/// SIGTERM and SIGINT as a sequence. The first asks for a graceful stop; a second ends the process at once.
public enum ShutdownSignals {
  /// Keeps the signals for `sequence()` and ignores SIGPIPE. Call first in `main`: threads started later inherit it.
  public static func block() {
    var set = sigset()
    pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
  }

  /// The signals that arrive, from a thread that waits for them. Use once.
  public static func sequence() -> AsyncStream<CInt> {
    AsyncStream { continuation in
      startThread(named: "signals") {
        var set = sigset()
        var received = 0
        while true {
          var number: CInt = 0
          guard sigwait(&set, &number) == 0 else { continue }
          received += 1
          if received > 1 { _exit(128 + number) }
          continuation.yield(number)
        }
      }
    }
  }

  private static func sigset() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGTERM)
    sigaddset(&set, SIGINT)
    return set
  }
}
