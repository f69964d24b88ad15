// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer

/// Room for answers that are made and have not left: those of a batch's members while others are missing, and those that
/// HTTP clients have not read. Bytes are taken before there is an answer that needs them, so that those who do not read
/// cannot make the gateway hold more than it has room for.
///
/// Each address may take as many bytes as are free afterwards, as with `FairShare`: one alone gets half of them, and there
/// are always some for others. Used on the socket thread only.
final class AnswerRoom {
  /// An answer of so many bytes to a single call needs none: each HTTP connection has one at most.
  static let small = HTTPServer.smallAnswer
  /// What a batch takes for each member from its beginning: an error fits in, so each can be told that there is no room.
  static let perMember = 512
  /// When to try again, in milliseconds.
  static let retryAfter = 1_000

  private(set) var taken = 0
  /// Told when an answer has found none: who reads slowly may have to go.
  var whenFull: () -> Void = {}
  private let limit: Int

  /// - Parameter limit: bytes. One answer that is larger is taken when there is no other.
  init(limit: Int) { self.limit = limit }

  /// Takes `count` bytes until the space is released.
  /// - Returns: nil when the address has its share.
  func space(_ count: Int, for source: Usage) -> AnswerSpace? {
    take(count, for: source) ? AnswerSpace(self, source, count) : nil
  }

  fileprivate func take(_ count: Int, for source: Usage) -> Bool {
    guard taken == 0 || source.answerBytes + count <= limit - taken - count else {
      whenFull()
      return false
    }
    taken += count
    source.answerBytes += count
    return true
  }

  fileprivate func giveBack(_ count: Int, of source: Usage) {
    taken -= count
    source.answerBytes -= count
  }
}

/// The bytes that the answer to one message takes, until nobody has it any more.
final class AnswerSpace {
  private let room: AnswerRoom
  private let source: Usage
  private var count: Int

  fileprivate init(_ room: AnswerRoom, _ source: Usage, _ count: Int) {
    self.room = room
    self.source = source
    self.count = count
  }

  deinit { room.giveBack(count, of: source) }

  /// - Returns: false when there is no more; it is as it was then.
  func grow(by more: Int) -> Bool {
    guard room.take(more, for: source) else { return false }
    count += more
    return true
  }

  /// The answer turned out to be shorter.
  func shrink(to size: Int) {
    guard size < count else { return }
    room.giveBack(count - size, of: source)
    count = size
  }
}
