// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import RPC
internal import Threading

/// Callers that wait for an entry, woken when it is appended.
///
/// Another replica's appends wake nobody here, so a waiter also looks now and then by itself.
final class EntryWaiters: Sendable {
  struct Key: Sendable, Hashable {
    var app: String
    var entryId: String
  }

  /// How long a waiter sleeps at most before it looks again, in milliseconds.
  static let longestSleepMilliseconds = 250

  private let waiting = Lock<[Key: [Waiter]]>([:])

  /// Wakes those who wait for any of these, which are in by now.
  func arrived(_ keys: @autoclosure () -> [Key]) {
    let woken = waiting.withLock { waiting in
      waiting.isEmpty ? [] : keys().flatMap { waiting.removeValue(forKey: $0) ?? [] }
    }
    for waiter in woken { waiter.wake() }
  }

  /// Waits until `isStored`, which is asked at once, on each wake and now and then.
  /// - Returns: false when that was not so by the deadline, less a little to answer in.
  /// - Throws: what `isStored` throws; `CancellationError`.
  func wait(for key: Key, until deadline: Deadline, isStored: () async throws -> Bool) async throws -> Bool {
    let answering = min(250, deadline.remainingMilliseconds / 4)
    while true {
      // Registered before it looks: what arrives in between wakes it at once.
      let waiter = Waiter()
      waiting.withLock { $0[key, default: []].append(waiter) }
      defer { forget(waiter, key) }
      if try await isStored() { return true }
      let left = deadline.remainingMilliseconds - answering
      guard left > 0 else { return false }
      await waiter.sleep(milliseconds: min(left, Self.longestSleepMilliseconds))
      try Task.checkCancellation()
    }
  }

  /// Callers waiting now.
  var count: Int { waiting.withLock { $0.values.reduce(0) { $0 + $1.count } } }

  private func forget(_ waiter: Waiter, _ key: Key) {
    waiting.withLock { waiting in
      waiting[key]?.removeAll { $0 === waiter }
      if waiting[key]?.isEmpty == true { waiting[key] = nil }
    }
  }
}

/// One sleep that ends once: woken, timed out or cancelled.
private final class Waiter: Sendable {
  private enum State {
    case awake
    case asleep(UnsafeContinuation<Void, Never>)
    case woken
  }
  private let state = Lock<State>(.awake)

  func wake() {
    let sleeper: UnsafeContinuation<Void, Never>? = state.withLock { state in
      defer { state = .woken }
      if case .asleep(let continuation) = state { return continuation }
      return nil
    }
    sleeper?.resume()
  }

  func sleep(milliseconds: Int) async {
    let alarm = Task.detached {
      try? await Task.sleep(for: .milliseconds(milliseconds))
      self.wake()
    }
    defer { alarm.cancel() }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isWoken: Bool = state.withLock { state in
          if case .woken = state { return true }
          state = .asleep(continuation)
          return false
        }
        if isWoken { continuation.resume() }
      }
    } onCancel: {
      wake()
    }
  }
}
