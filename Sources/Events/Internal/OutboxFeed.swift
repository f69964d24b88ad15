// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Threading

/// Rows that this process's writes have just left in the outbox, for its relays: reading each back from the store would be
/// a good part of what delivering it costs. A relay that lacks some, since there were too many or a write's outcome is not
/// known, looks into the store.
final class OutboxFeed: Sendable {
  /// A row, and whom it is for.
  struct Entry: Sendable {
    let subscriber: String
    let row: Outbox.Row
  }

  private struct Reader {
    let number: Int
    let subscriber: String
    var rows: [Outbox.Row] = []
    var bytes = 0
    /// It has got, or will, every row since it last began in the store.
    var isComplete = false

    mutating func empty(isComplete: Bool) {
      rows = []
      bytes = 0
      self.isComplete = isComplete
    }
  }

  /// What waits for one reader, in bytes of events.
  static let mostBytes = 8 << 20

  private let readers: Lock<(last: Int, open: [Reader])> = Lock((0, []))

  /// - Returns: the new reader's number. It begins in the store.
  func open(for subscriber: String) -> Int {
    readers.withLock { readers in
      readers.last += 1
      readers.open.append(Reader(number: readers.last, subscriber: subscriber))
      return readers.last
    }
  }

  func close(_ reader: Int) { readers.withLock { $0.open.removeAll { $0.number == reader } } }

  /// After the commit, and before the write's ticket of `OutboxPositions` ends.
  func add(_ entries: [Entry]) {
    readers.withLock { readers in
      for index in readers.open.indices where readers.open[index].isComplete {
        for entry in entries where entry.subscriber == readers.open[index].subscriber {
          readers.open[index].bytes += entry.row.event.utf8.count
          readers.open[index].rows.append(entry.row)
        }
        if readers.open[index].bytes > Self.mostBytes { readers.open[index].empty(isComplete: false) }
      }
    }
  }

  /// All readers, or one, must look into the store for what they have not got.
  func skip(_ reader: Int? = nil) {
    readers.withLock { readers in
      for index in readers.open.indices where reader == nil || readers.open[index].number == reader {
        readers.open[index].empty(isComplete: false)
      }
    }
  }

  /// What is committed from now on is kept; what was before is for the reader to find in the store.
  func restart(_ reader: Int) {
    readers.withLock { readers in
      for index in readers.open.indices where readers.open[index].number == reader {
        readers.open[index].empty(isComplete: true)
      }
    }
  }

  /// All that came since, in the order of positions by app; nil when some of it is missing.
  func take(_ reader: Int) -> [Outbox.Row]? {
    let rows: [Outbox.Row]? = readers.withLock { readers in
      guard let index = readers.open.firstIndex(where: { $0.number == reader && $0.isComplete }) else { return nil }
      defer { readers.open[index].empty(isComplete: true) }
      return readers.open[index].rows
    }
    return rows?.sorted { ($0.app, $0.position) < ($1.app, $1.position) }
  }
}
