// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Reads the TZif format, version 2 or later. Source: RFC 9636, section 3.
enum TZifFile {
  /// Nil unless `bytes` are a whole file without leap seconds; ours is POSIX time, which has none.
  static func parse(_ bytes: [UInt8]) -> TransitionTable? {
    guard let first = Header(bytes, at: 0), first.version >= UInt8(ascii: "2"),
      // The block for readers of version 1 comes first, with 4-byte times; it is passed over.
      let header = Header(bytes, at: Header.size + first.blockSize(timeSize: 4))
    else { return nil }
    let block = Header.size * 2 + first.blockSize(timeSize: 4)
    let end = block + header.blockSize(timeSize: 8)
    guard end <= bytes.count, header.leapCount == 0, header.typeCount > 0 else { return nil }

    let typeIndexes = block + header.timeCount * 8
    let types = typeIndexes + header.timeCount
    var offsets: [Int] = []
    for index in 0..<header.typeCount {
      let offset = Int(Int32(truncatingIfNeeded: bytes.bigEndian(at: types + index * 6, size: 4)))
      guard abs(offset) <= 26 * 3600 else { return nil }
      offsets.append(offset)
    }
    var transitions: [Transition] = []
    transitions.reserveCapacity(header.timeCount)
    for index in 0..<header.timeCount {
      let type = Int(bytes[typeIndexes + index])
      let at = bytes.bigEndian(at: block + index * 8, size: 8)
      guard type < offsets.count, transitions.last.map({ $0.at < at }) ?? true else { return nil }
      transitions.append(Transition(at: at, offset: offsets[type]))
    }

    let footer = bytes[end...]
    guard footer.first == UInt8(ascii: "\n"), let close = footer.dropFirst().firstIndex(of: UInt8(ascii: "\n"))
    else { return nil }
    let text = footer[(end + 1)..<close]
    guard !text.isEmpty else { return TransitionTable(transitions: transitions, first: offsets[0], rule: nil) }
    guard let rule = POSIXRule(text) else { return nil }
    return TransitionTable(transitions: transitions, first: offsets[0], rule: rule)
  }

  private struct Header {
    static let size = 44
    let version: UInt8
    let utCount, standardCount, leapCount, timeCount, typeCount, characterCount: Int

    init?(_ bytes: [UInt8], at start: Int) {
      guard start + Header.size <= bytes.count, bytes[start..<start + 4].elementsEqual("TZif".utf8) else { return nil }
      version = bytes[start + 4]
      let counts = (0..<6).map { Int(bytes.bigEndian(at: start + 20 + $0 * 4, size: 4)) }
      guard counts.allSatisfy({ 0..<100_000 ~= $0 }) else { return nil }
      (utCount, standardCount, leapCount) = (counts[0], counts[1], counts[2])
      (timeCount, typeCount, characterCount) = (counts[3], counts[4], counts[5])
    }

    func blockSize(timeSize: Int) -> Int {
      timeCount * (timeSize + 1) + typeCount * 6 + characterCount + leapCount * (timeSize + 4) + standardCount
        + utCount
    }
  }
}

extension [UInt8] {
  /// Two's complement when `size` is 8.
  fileprivate func bigEndian(at start: Int, size: Int) -> Int64 {
    self[start..<start + size].reduce(0) { $0 << 8 | Int64($1) }
  }
}
