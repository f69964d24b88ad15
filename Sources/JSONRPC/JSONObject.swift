// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A type that names its members itself, in order, instead of having the compiler go through coding keys: the same text
/// at a tenth of the cost, for what is part of every write. Reading stays Codable's.
///
/// Conform to it beside `Codable`; the encoding that the compiler would make is then not made.
public protocol JSONObjectEncodable: Encodable {
  func encode(into object: JSONObject)
}

/// A type whose text is canonical (RFC 8785) as it is written: its members come in the order of their names, and numbers
/// are integers. `JSON.canonical` takes it as it is.
public protocol CanonicallyEncodable: JSONObjectEncodable {}

extension JSONObjectEncodable {
  public func encode(to encoder: any Encoder) throws {
    guard let output = output(of: encoder) else { return try RawJSON(JSON.encode(self)).encode(to: encoder) }
    output.encode(object: self)
  }
}

/// Where an encoder of this module writes; nil of another's. The bit cast is to the very type that was just compared: a
/// conditional cast of the existential costs as much as writing several members.
private func output<E: Encoder>(of encoder: E) -> UnsafeMutablePointer<JSONOutput>? {
  E.self == ByteEncoder.self ? unsafeBitCast(encoder, to: ByteEncoder.self).output : nil
}

/// An object being written. Not to be kept beyond `encode(into:)`. What cannot be written (numbers that are not finite,
/// nesting deeper than 64) makes the whole encoding throw at its end.
public struct JSONObject {
  private let output: UnsafeMutablePointer<JSONOutput>
  private let level: Int

  fileprivate init(_ output: UnsafeMutablePointer<JSONOutput>, _ level: Int) {
    self.output = output
    self.level = level
  }

  /// - Parameter name: without characters that JSON escapes.
  @inline(__always) private func name(_ name: StaticString) { output.pointee.startMember(name, of: level) }

  public func put(_ name: StaticString, _ value: Bool) {
    self.name(name)
    output.pointee.put(value)
  }
  public func put(_ name: StaticString, _ value: Int64) {
    self.name(name)
    output.pointee.put(integer: value)
  }
  public func put(_ name: StaticString, _ value: Int) { put(name, Int64(value)) }
  public func put(_ name: StaticString, _ value: String) {
    self.name(name)
    output.pointee.put(string: value)
  }
  public func put(_ name: StaticString, _ value: Timestamp) {
    self.name(name)
    output.pointee.put(value)
  }
  public func put(_ name: StaticString, _ value: JSONValue) {
    self.name(name)
    output.pointee.put(json: value)
  }
  public func put(_ name: StaticString, _ members: [String: JSONValue]) { put(name, .object(members)) }
  /// In whatever order they come, for text that is never compared: sorting them is a third of what writing them takes.
  public func put(unordered members: [String: JSONValue]) {
    for (name, value) in members {
      output.pointee.nextElement(of: level)
      output.pointee.put(string: name)
      output.pointee.put(UInt8(ascii: ":"))
      output.pointee.put(json: value)
    }
  }
  public func put(_ name: StaticString, unordered members: [String: JSONValue]) {
    putObject(name) { $0.put(unordered: members) }
  }
  /// An object whose members `body` writes.
  public func putObject(_ name: StaticString, _ body: (JSONObject) -> Void) {
    self.name(name)
    let outside = output.pointee.depth
    let inside = output.pointee.open(UInt8(ascii: "{"))
    guard !output.pointee.hasFailed else { return }
    body(JSONObject(output, inside))
    output.pointee.close(to: outside)
  }
  public func put(_ name: StaticString, _ value: RawJSON) {
    self.name(name)
    output.pointee.put(value.bytes)
  }
  public func put(_ name: StaticString, _ elements: [RawJSON]) {
    self.name(name)
    let outside = output.pointee.depth
    let inside = output.pointee.open(UInt8(ascii: "["))
    guard !output.pointee.hasFailed else { return }
    for element in elements {
      output.pointee.nextElement(of: inside)
      output.pointee.put(element.bytes)
    }
    output.pointee.close(to: outside)
  }
  public func put(_ name: StaticString, _ value: some JSONObjectEncodable) {
    self.name(name)
    output.encode(object: value)
  }
  public func put<Element: JSONObjectEncodable>(_ name: StaticString, _ elements: [Element]) {
    self.name(name)
    let outside = output.pointee.depth
    let inside = output.pointee.open(UInt8(ascii: "["))
    guard !output.pointee.hasFailed else { return }
    for element in elements {
      output.pointee.nextElement(of: inside)
      output.encode(object: element)
    }
    output.pointee.close(to: outside)
  }

  /// Text that is made of pieces, without making it first.
  public func put(_ name: StaticString, text: (JSONText) -> Void) {
    self.name(name)
    output.pointee.put(UInt8(ascii: "\""))
    text(JSONText(output: output))
    output.pointee.put(UInt8(ascii: "\""))
  }

  // Members that may be left out.

  public func put(_ name: StaticString, _ value: Bool?) { if let value { put(name, value) } }
  public func put(_ name: StaticString, _ value: Int64?) { if let value { put(name, value) } }
  public func put(_ name: StaticString, _ value: Int?) { if let value { put(name, value) } }
  public func put(_ name: StaticString, _ value: String?) { if let value { put(name, value) } }
  public func put(_ name: StaticString, _ value: Timestamp?) { if let value { put(name, value) } }
  public func put(_ name: StaticString, _ value: JSONValue?) { if let value { put(name, value) } }
  public func put<Element: JSONObjectEncodable>(_ name: StaticString, _ elements: [Element]?) {
    if let elements { put(name, elements) }
  }
}

/// A string being written. Not to be kept beyond the closure it was given to.
public struct JSONText {
  fileprivate let output: UnsafeMutablePointer<JSONOutput>

  public func add(_ piece: String) {
    var piece = piece
    piece.withUTF8 { output.pointee.put(escaping: $0) }
  }
  /// - Parameter piece: without characters that JSON escapes.
  public func add(plain piece: StaticString) { output.pointee.put(piece) }
  public func add(_ integer: Int64) { output.pointee.put(integer: integer) }
}

extension UnsafeMutablePointer<JSONOutput> {
  @inline(__always)
  fileprivate func encode(object: some JSONObjectEncodable) {
    let outside = pointee.depth
    let inside = pointee.open(UInt8(ascii: "{"))
    guard !pointee.hasFailed else { return }
    object.encode(into: JSONObject(self, inside))
    pointee.close(to: outside)
  }
}
