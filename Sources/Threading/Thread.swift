// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// What a new thread runs. A non-generic class: forming a C function pointer inside a generic type crashes the compiler.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Starts a detached thread for work that blocks (sockets, SQLite) and must stay off the cooperative pool.
/// - Parameter name: shown by the operating system, at most 15 bytes of it.
public func startThread(named name: String, _ body: @escaping @Sendable () -> Void) {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
  let context = Unmanaged.passRetained(
    ThreadBody {
      assent_name_thread(String(decoding: name.utf8.prefix(15), as: UTF8.self))
      body()
    }
  ).toOpaque()
  var thread = pthread_t()
  let code = pthread_create(
    &thread, &attributes,
    { context in
      Unmanaged<ThreadBody>.fromOpaque(context!).takeRetainedValue().run()
      return nil
    }, context)
  precondition(code == 0, "pthread_create failed with \(code)")
}

/// The calling thread's identity, for assertions that an object stays on the thread that owns it.
public struct ThreadID: Equatable, Sendable {
  private let value: UInt
  public static var current: ThreadID { ThreadID(value: UInt(pthread_self())) }
  private init(value: UInt) { self.value = value }
}
