// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Wakes that a thread owes to others while it hands them a lot at once. Were each given at the first thing that is handed
/// over, the woken thread would take that alone, sleep again and be woken for the next.
public enum GatheredWakes {
  private final class Owed {
    var events: [WakeEvent] = []
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let code = pthread_key_create(&key, nil)
    precondition(code == 0, "pthread_key_create failed with \(code)")
    return key
  }()

  /// Runs `body`, in which mailboxes wake nobody; then wakes those they would have woken. `body` must not wait for them.
  public static func gather(_ body: () -> Void) {
    let owed = Owed()
    pthread_setspecific(key, Unmanaged.passUnretained(owed).toOpaque())
    body()
    pthread_setspecific(key, nil)
    for event in owed.events { event.signal() }
  }

  /// Signals now, or at the end of the calling thread's `gather`.
  static func signal(_ event: WakeEvent) {
    guard let owed = pthread_getspecific(key) else { return event.signal() }
    Unmanaged<Owed>.fromOpaque(owed)._withUnsafeGuaranteedRef { $0.events.append(event) }
  }
}
