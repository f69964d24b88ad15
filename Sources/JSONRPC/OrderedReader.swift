// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reads JSON that one of Assent's own programs wrote, member by member in the order of the writer, several times faster
/// than any JSON. What it does not know (another order, spaces, escapes, letters outside ASCII) it does not read, and the
/// caller turns to a reader of JSON; whatever it reads, that one would read the same.
package struct OrderedReader {
  private var rest: UnsafeRawBufferPointer

  package init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  package var isAtEnd: Bool { rest.isEmpty }

  /// - Returns: whether `text` comes next; then it is behind us.
  @inline(__always)
  package mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard rest.count >= count, memcmp(rest.baseAddress!, text.utf8Start, count) == 0 else { return false }
    drop(count)
    return true
  }

  /// What stands before the next quote, which is skipped; nil if that is more than printable ASCII without escapes.
  @inline(__always)
  package mutating func text() -> UnsafeRawBufferPointer? {
    guard let start = rest.baseAddress, let quote = memchr(start, CInt(UInt8(ascii: "\"")), rest.count) else {
      return nil
    }
    let text = UnsafeRawBufferPointer(start: start, count: UnsafeRawPointer(quote) - start)
    guard OrderedReader.isPlain(text) else { return nil }
    drop(text.count + 1)
    return text
  }

  /// Whether all of it is printable ASCII and none of it a backslash; eight bytes at a time.
  private static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs = ones &* 0x80
    var offset = 0
    while offset + 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let backslash = word ^ (ones &* 0x5c)
      // A byte's high bit is set: by itself, below 0x20, at 0x7f, or where it is a backslash. Where a byte is not ASCII the
      // others' bits may be wrong, but the text is refused anyway.
      let faults = word | (word &- (ones &* 0x20)) | (word &+ ones) | ((backslash &- ones) & ~backslash)
      if faults & highs != 0 { return false }
      offset += 8
    }
    while offset < text.count {
      let byte = text[offset]
      guard byte >= 0x20, byte < 0x7f, byte != 0x5c else { return false }
      offset += 1
    }
    return true
  }

  /// Of at most 18 digits, as JSON has them.
  @inline(__always)
  package mutating func integer() -> Int64? {
    let isNegative = rest.first == UInt8(ascii: "-")
    let start = isNegative ? 1 : 0
    var end = start
    var value: Int64 = 0
    while end < rest.count, rest[end] &- UInt8(ascii: "0") < 10 {
      value = value &* 10 &+ Int64(rest[end] &- UInt8(ascii: "0"))
      end += 1
    }
    guard (1...18).contains(end - start), end - start == 1 || rest[start] != UInt8(ascii: "0") else { return nil }
    drop(end)
    return isNegative ? -value : value
  }

  /// What ends with the next closing brace; nil if none comes. An object that has no other within it, unless a text of
  /// its holds one: the caller must know it when it sees it.
  @inline(__always)
  package mutating func flatObject() -> UnsafeRawBufferPointer? {
    guard let start = rest.baseAddress, let brace = memchr(start, CInt(UInt8(ascii: "}")), rest.count) else {
      return nil
    }
    let count = UnsafeRawPointer(brace) - start + 1
    let object = UnsafeRawBufferPointer(start: start, count: count)
    drop(count)
    return object
  }

  @inline(__always)
  private mutating func drop(_ count: Int) {
    rest = UnsafeRawBufferPointer(start: rest.baseAddress! + count, count: rest.count - count)
  }
}
