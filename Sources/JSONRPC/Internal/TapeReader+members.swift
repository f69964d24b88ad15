// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Objects member by member.
extension TapeReader {
  /// Has the object's members checked for such as nobody asks for.
  /// - Throws: when the value is no object.
  func open(object: Int) throws {
    guard self[object].kind == .object else { throw mismatch(object, "an object") }
    tokens[object].set(.opened)
  }

  /// The index of a member's value. The search goes on behind the member that was found last.
  @inline(__always)
  func find(_ text: UnsafeBufferPointer<UInt8>, in object: Int) -> Int? {
    let first = object + 1
    let end = end(of: object)
    guard first < end else { return nil }
    var name = object + self[object].resume
    if name >= end || name < first { name = first }
    let start = name
    repeat {
      if isText(name, text), !self[name].has(.hidden) {
        tokens[name].set(.used)
        tokens[object].resume = self.end(of: name + 1) - object
        return name + 1
      }
      name = self.end(of: name + 1)
      if name >= end { name = first }
    } while name != start
    return nil
  }

  func required(_ name: StaticString, in object: Int) throws -> Int {
    guard let value = find(Self.text(name), in: object) else { throw missing("\(name)", in: object) }
    return value
  }

  /// Nil for a member that is missing or null.
  func optional(_ name: StaticString, in object: Int) -> Int? {
    guard let value = find(Self.text(name), in: object), self[value].kind != .null else { return nil }
    return value
  }

  @inline(never)
  func missing(_ name: String, in object: Int) -> JSONDecodingError {
    JSONDecodingError(path: JSONPath.member(name, of: path(to: object)), problem: "is missing")
  }

  func elements<Element: Decodable>(of array: Int) throws -> [Element] {
    guard self[array].kind == .array else { throw mismatch(array, "an array") }
    var elements: [Element] = []
    var element = array + 1
    while element < end(of: array) {
      elements.append(try decode(Element.self, at: element))
      element = end(of: element)
    }
    return elements
  }

  /// An object of true and false.
  func flags(of object: Int) throws -> [String: Bool] {
    guard self[object].kind == .object else { throw mismatch(object, "an object") }
    var flags: [String: Bool] = [:]
    var name = object + 1
    while name < end(of: object) {
      if !self[name].has(.hidden) { flags[try string(name)] = try bool(name + 1) }
      name = end(of: name + 1)
    }
    return flags
  }

  private static func text(_ name: StaticString) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
  }
}
