// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reads values off a tape. A bare pointer: valid while the tape lives and its document's bytes are there, which no
/// decoder or container may outlive.
struct TapeReader {
  let storage: UnsafeMutablePointer<TapeStorage>

  @inline(__always) subscript(_ index: Int) -> Token { storage.pointee.tokens[index] }
  @inline(__always) var tokens: UnsafeMutablePointer<Token> { storage.pointee.tokens }

  /// The index after the value's last token.
  @inline(__always) func end(of index: Int) -> Int { Int(tokens[index].next) }

  /// The value's bytes as they came.
  @inline(__always) func bytes(of index: Int) -> UnsafeBufferPointer<UInt8> {
    let token = tokens[index]
    return UnsafeBufferPointer(start: storage.pointee.base + Int(token.start), count: token.byteCount)
  }

  /// A string's bytes between the quotes.
  @inline(__always) func body(of index: Int) -> UnsafeBufferPointer<UInt8> {
    let token = tokens[index]
    return UnsafeBufferPointer(start: storage.pointee.base + Int(token.start) + 1, count: token.byteCount - 2)
  }

  func string(_ index: Int) throws -> String {
    switch tokens[index].kind {
    case .string: return String(decoding: body(of: index), as: UTF8.self)
    case .escapedString: return String(unescaping: body(of: index))
    default: throw mismatch(index, "text")
    }
  }

  @inline(__always) func bool(_ index: Int) throws -> Bool {
    switch tokens[index].kind {
    case .true: return true
    case .false: return false
    default: throw mismatch(index, "true or false")
    }
  }

  @inline(__always) func integer<Integer: FixedWidthInteger>(_ index: Int, _ type: Integer.Type) throws -> Integer {
    let kind = tokens[index].kind
    guard kind == .integer || kind == .number else { throw mismatch(index, "an integer") }
    guard let value = DecimalNumber.integer(bytes(of: index), isInteger: kind == .integer, as: type) else {
      throw notInRange(index, type)
    }
    return value
  }

  func double(_ index: Int) throws -> Double {
    let kind = tokens[index].kind
    guard kind == .integer || kind == .number else { throw mismatch(index, "a number") }
    guard let value = DecimalNumber.double(bytes(of: index), isInteger: kind == .integer) else {
      throw JSONDecodingError(path: path(to: index), problem: "is too large for a number")
    }
    return value
  }

  func timestamp(_ index: Int) throws -> Timestamp {
    if tokens[index].kind == .string, let timestamp = Timestamp(utf8: body(of: index)) { return timestamp }
    guard let timestamp = Timestamp(try string(index)) else {
      throw JSONDecodingError(path: path(to: index), problem: Timestamp.expectation)
    }
    return timestamp
  }

  /// Whether a member's name, or any string, is this text.
  @inline(__always) func isText(_ index: Int, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let token = tokens[index]
    guard token.kind == .string else { return isEscapedText(index, text) }
    guard token.byteCount == text.count + 2 else { return false }
    guard let start = text.baseAddress else { return true }
    return memcmp(storage.pointee.base + Int(token.start) + 1, start, text.count) == 0
  }

  @inline(never) private func isEscapedText(_ index: Int, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard tokens[index].kind == .escapedString else { return false }
    return String(unescaping: body(of: index)).utf8.elementsEqual(text)
  }

  func isText(_ index: Int, _ text: StaticString) -> Bool {
    isText(index, UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inline(never) func mismatch(_ index: Int, _ expected: String) -> JSONDecodingError {
    let found =
      switch tokens[index].kind {
      case .object: "an object"
      case .array: "an array"
      case .string, .escapedString: "text"
      case .integer, .number: "a number"
      case .true, .false: "true or false"
      case .null: "null"
      }
    return JSONDecodingError(path: path(to: index), problem: "must be \(expected), not \(found)")
  }

  @inline(never)
  private func notInRange<Integer: FixedWidthInteger>(_ index: Int, _ type: Integer.Type) -> JSONDecodingError {
    let value = DecimalNumber.double(bytes(of: index), isInteger: false)
    let isFraction = value.map { $0.magnitude < 0x1p53 && $0 != $0.rounded() } ?? false
    return JSONDecodingError(
      path: path(to: index),
      problem: isFraction ? "must be an integer" : "must be an integer in \(Integer.min)...\(Integer.max)")
  }
}
