// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// A number for the calling thread that no other thread ever had, unlike its identity, which the next thread may get.
enum ThreadSerial {
  private static let last = Atomic<UInt>(0)
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let code = pthread_key_create(&key, nil)
    precondition(code == 0, "pthread_key_create failed with \(code)")
    return key
  }()

  static var current: UInt {
    if let known = pthread_getspecific(key) { return UInt(bitPattern: known) }
    let serial = last.add(1, ordering: .relaxed).newValue
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: serial))
    return serial
  }
}
