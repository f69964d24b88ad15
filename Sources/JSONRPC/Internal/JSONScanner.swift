// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// RFC 8259, strictly: one value, UTF-8 (RFC 3629) only, nothing before or after it but white space.
///
/// Numbers and strings keep their bytes; the tape says where they are. Strings that hold lone surrogates are refused,
/// since no text can hold them.
struct JSONScanner {
  static let deepest = 64
  static let largest = 1 << 30

  let base: UnsafePointer<UInt8>
  let count: Int

  /// - Precondition: `bytes` has an address.
  init(_ bytes: UnsafeRawBufferPointer) {
    base = bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
    count = bytes.count
  }

  @inline(__always) func byte(_ at: Int) -> UInt8 { base[at] }
  @inline(__always) func word(_ at: Int) -> UInt64 {
    UnsafeRawPointer(base).loadUnaligned(fromByteOffset: at, as: UInt64.self)
  }

  /// An open container's token keeps its parent in `next`, so nesting needs no stack.
  func scan(into tape: inout TapeStorage) throws(JSONSyntaxError) {
    guard count < Self.largest else { throw JSONSyntaxError(.tooLarge, 0) }
    let noParent = Int(UInt32.max)
    var at = 0
    var depth = 0
    var parent = noParent
    nextValue: while true {
      skipSpace(&at)
      guard at < count else { throw JSONSyntaxError(.endOfInput, at) }
      switch byte(at) {
      case UInt8(ascii: "{"):
        try open(.object, &at, &depth, &parent, &tape)
        if byte(at) != UInt8(ascii: "}") {
          try memberName(&at, &tape)
          continue nextValue
        }
      case UInt8(ascii: "["):
        try open(.array, &at, &depth, &parent, &tape)
        if byte(at) != UInt8(ascii: "]") { continue nextValue }
      case UInt8(ascii: "\""): try string(&at, &tape)
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        let start = at
        let isInteger = try number(&at)
        tape.push(isInteger ? .integer : .number, start, at)
      case UInt8(ascii: "t"): try literal("true", .true, &at, &tape)
      case UInt8(ascii: "f"): try literal("false", .false, &at, &tape)
      case UInt8(ascii: "n"): try literal("null", .null, &at, &tape)
      default: throw JSONSyntaxError(.unexpectedByte, at)
      }
      // A value ended here, or a container that was just opened is empty. A comma straight after an opening bracket
      // does not come here: it failed above, as a value or a name.
      while true {
        skipSpace(&at)
        if parent == noParent {
          guard at == count else { throw JSONSyntaxError(.trailingBytes, at) }
          return
        }
        guard at < count else { throw JSONSyntaxError(.endOfInput, at) }
        let isObject = tape.tokens[parent].kind == .object
        let found = byte(at)
        if found == UInt8(ascii: ",") {
          at += 1
          if isObject {
            skipSpace(&at)
            try memberName(&at, &tape)
          }
          continue nextValue
        }
        guard found == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
          throw JSONSyntaxError(.unexpectedByte, at)
        }
        at += 1
        let outer = Int(tape.tokens[parent].next)
        tape.tokens[parent].end = UInt32(truncatingIfNeeded: at)
        tape.tokens[parent].next = UInt32(truncatingIfNeeded: tape.count)
        parent = outer
        depth -= 1
      }
    }
  }

  /// Leaves `at` on the first byte inside that is no white space.
  @inline(__always)
  private func open(
    _ kind: TokenKind, _ at: inout Int, _ depth: inout Int, _ parent: inout Int, _ tape: inout TapeStorage
  ) throws(JSONSyntaxError) {
    depth += 1
    guard depth <= Self.deepest else { throw JSONSyntaxError(.tooDeep, at) }
    let index = tape.push(kind, at, 0)
    tape.tokens[index].next = UInt32(truncatingIfNeeded: parent)
    parent = index
    at += 1
    skipSpace(&at)
    guard at < count else { throw JSONSyntaxError(.endOfInput, at) }
  }

  /// A member's name and the colon after it.
  @inline(__always)
  private func memberName(_ at: inout Int, _ tape: inout TapeStorage) throws(JSONSyntaxError) {
    guard at < count else { throw JSONSyntaxError(.endOfInput, at) }
    guard byte(at) == UInt8(ascii: "\"") else { throw JSONSyntaxError(.unexpectedByte, at) }
    try string(&at, &tape)
    skipSpace(&at)
    guard at < count else { throw JSONSyntaxError(.endOfInput, at) }
    guard byte(at) == UInt8(ascii: ":") else { throw JSONSyntaxError(.unexpectedByte, at) }
    at += 1
  }

  @inline(__always)
  private func literal(
    _ text: StaticString, _ kind: TokenKind, _ at: inout Int, _ tape: inout TapeStorage
  ) throws(JSONSyntaxError) {
    let length = text.utf8CodeUnitCount
    guard at + length <= count else { throw JSONSyntaxError(.unexpectedByte, at) }
    for i in 1..<length where byte(at + i) != text.utf8Start[i] { throw JSONSyntaxError(.unexpectedByte, at + i) }
    tape.push(kind, at, at + length)
    at += length
  }

  @inline(__always)
  private func skipSpace(_ at: inout Int) {
    while at < count {
      let found = byte(at)
      if found > 0x20 { return }
      guard found == 0x20 || found == 0x0A || found == 0x0D || found == 0x09 else { return }
      at += 1
    }
  }
}
