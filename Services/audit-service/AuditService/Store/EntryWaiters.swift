// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import RPC
internal import Threading

/// Callers that wait for an entry, woken when it is appended.
///
/// Another replica's appends wake nobody here, so a waiter also looks now and then by itself.
///
/// Whoever waits holds one of the places that the service has for running calls, for as long as its caller likes. So only
/// a few of these are for waiting, and each caller may hold as many as are free.
final class EntryWaiters: Sendable {
  struct Key: Sendable, Hashable {
    var app: String
    var entryId: String
  }

  enum Outcome: Sendable {
    case stored
    /// Not by the deadline, less a little to answer in.
    case missing
    /// Not yet, and there is no place to wait at.
    case refused
  }

  /// Calls that may wait: an eighth of those that may run.
  static let places = Dispatcher.Limits().inFlight / 8

  /// How long a waiter sleeps at most before it looks again, in milliseconds.
  static let longestSleepMilliseconds = 250

  private let waiting = Lock<[Key: [Waiter]]>([:])
  private let places: Lock<WaitingPlaces>

  init(places: Int = EntryWaiters.places) { self.places = Lock(WaitingPlaces(places)) }

  /// Wakes those who wait for any of these, which are in by now.
  func arrived(_ keys: @autoclosure () -> [Key]) {
    let woken = waiting.withLock { waiting in
      waiting.isEmpty ? [] : keys().flatMap { waiting.removeValue(forKey: $0) ?? [] }
    }
    for waiter in woken { waiter.wake() }
  }

  /// Waits until `isStored`, which is asked at once, on each wake and now and then. Only who has to wait takes a place.
  /// - Parameter caller: whose place it is.
  /// - Throws: what `isStored` throws; `CancellationError`.
  func wait(
    for key: Key, by caller: String, until deadline: Deadline, isStored: () async throws -> Bool
  ) async throws -> Outcome {
    let answering = min(250, deadline.remainingMilliseconds / 4)
    var hasPlace = false
    defer { if hasPlace { places.withLock { $0.giveBack(caller) } } }
    while true {
      // Registered before it looks: what arrives in between wakes it at once.
      let waiter = Waiter()
      waiting.withLock { $0[key, default: []].append(waiter) }
      defer { forget(waiter, key) }
      if try await isStored() { return .stored }
      let left = deadline.remainingMilliseconds - answering
      guard left > 0 else { return .missing }
      if !hasPlace { hasPlace = places.withLock { $0.take(caller) } }
      guard hasPlace else { return .refused }
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
