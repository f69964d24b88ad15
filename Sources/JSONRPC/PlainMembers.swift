// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An object's members in canonical order (RFC 8785, section 3.2.3), where putting them into that order is all that it
/// takes to make its text canonical: each once, under names of ASCII, with plain values (text without escapes, integers of
/// up to 15 characters, true, false and null). Nothing is taken off the tape until it is asked for: for members that are
/// hashed or stored as text. Not to be kept beyond the `init(from:)` that asked for it.
public struct PlainMembers {
  private let tape: TapeReader
  /// The places of the names.
  private let names: [Int]

  /// Nil for another object, and for what is none.
  init?(_ tape: TapeReader, _ object: Int) {
    guard tape[object].kind == .object else { return nil }
    var names: [Int] = []
    var name = object + 1
    while name < tape.end(of: object) {
      guard Self.isPlain(tape, name) else { return nil }
      var place = names.count
      while place > 0 {
        let order = Self.order(tape.body(of: names[place - 1]), tape.body(of: name))
        if order == 0 { return nil }
        if order < 0 { break }
        place -= 1
      }
      names.insert(name, at: place)
      name += 2
    }
    self.tape = tape
    self.names = names
  }

  private static func isPlain(_ tape: TapeReader, _ name: Int) -> Bool {
    let (token, value) = (tape[name], tape[name + 1])
    guard token.kind == .string, !token.has(.hidden), tape.body(of: name).allSatisfy({ $0 < 0x80 }) else {
      return false
    }
    switch value.kind {
    case .string, .true, .false, .null: return true
    // Below 2^53, and no "-0".
    case .integer: return value.byteCount <= 15 && (value.byteCount != 2 || tape.bytes(of: name + 1)[1] != 0x30)
    case .object, .array, .escapedString, .number: return false
    }
  }

  private static func order(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Int {
    let common = min(one.count, other.count)
    let order = common == 0 ? 0 : memcmp(one.baseAddress!, other.baseAddress!, common)
    return order == 0 ? one.count - other.count : Int(order)
  }

  // MARK: Text

  /// The object's.
  public var canonical: RawJSON { RawJSON(text(names[...], in: ("{", "}"))) }

  /// The members whose names come before `name`, with commas between them.
  public func canonical(before name: StaticString) -> [UInt8] { text(names.prefix { order(of: $0, name) < 0 }) }

  /// The members whose names come after `name`, with commas between them.
  public func canonical(after name: StaticString) -> [UInt8] { text(names.drop { order(of: $0, name) <= 0 }) }

  private func order(of place: Int, _ name: StaticString) -> Int { Self.order(tape.body(of: place), Self.text(name)) }

  private func text(_ names: ArraySlice<Int>, in brackets: (Unicode.Scalar, Unicode.Scalar)? = nil) -> [UInt8] {
    let most = names.reduce(2) { $0 + tape[$1].byteCount + tape[$1 + 1].byteCount + 2 }
    return [UInt8](unsafeUninitializedCapacity: most) { text, count in
      func put(_ scalar: Unicode.Scalar) {
        text[count] = UInt8(ascii: scalar)
        count += 1
      }
      if let brackets { put(brackets.0) }
      for name in names {
        if name != names.first { put(",") }
        count = text[count...].initialize(fromContentsOf: tape.bytes(of: name))
        put(":")
        count = text[count...].initialize(fromContentsOf: tape.bytes(of: name + 1))
      }
      if let brackets { put(brackets.1) }
    }
  }

  // MARK: Values

  /// Nil also for what is no text.
  public func string(_ name: StaticString) -> String? { value(name).flatMap { try? tape.string($0) } }

  /// Nil also for what is no integer.
  public func integer(_ name: StaticString) -> Int64? { value(name).flatMap { try? tape.integer($0, Int64.self) } }

  /// Nil also for what is neither true nor false.
  public func bool(_ name: StaticString) -> Bool? { value(name).flatMap { try? tape.bool($0) } }

  /// How many names there are between two, these included.
  public func count(from first: StaticString, through last: StaticString) -> Int {
    names.count { order(of: $0, first) >= 0 && order(of: $0, last) <= 0 }
  }

  private func value(_ name: StaticString) -> Int? {
    names.first { tape.isText($0, Self.text(name)) }.map { $0 + 1 }
  }

  private static func text(_ name: StaticString) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
  }
}
