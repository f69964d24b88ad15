// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The text being written. Encoders and containers hold a plain pointer to it: a class reference in each would cost a
/// retain, a release and an exclusivity check for each member.
struct JSONOutput {
  private(set) var base: UnsafeMutablePointer<UInt8>
  private(set) var count = 0
  private var capacity: Int
  /// How many containers are open, and where the bracket of each stands; `brackets[1]` is the outermost.
  private(set) var depth = 0
  private var brackets = InlineArray<65, Int>(repeating: 0)
  /// The first thing that went wrong where nothing could be thrown; whatever is written after it is thrown away.
  private var failure: Failure?

  /// What encoders and containers can do wrong without being able to throw.
  enum Failure: String {
    case tooDeep = "nested deeper than 64"
    case notFinite = "a number that is not finite"
    case writtenTwice = "a value that is written twice"
    case writtenLate = "a member or element that is written after its container ended"
    case noSuperclassMember = "an object without a member for its superclass"
  }

  /// Runs `body` with a new output and gives the bytes it wrote.
  @inline(__always)
  static func bytes(_ body: (UnsafeMutablePointer<JSONOutput>) throws -> Void) throws -> [UInt8] {
    try written(body) { Array($0) }
  }

  /// The same as a string.
  @inline(__always)
  static func string(_ body: (UnsafeMutablePointer<JSONOutput>) throws -> Void) throws -> String {
    try written(body) { String(decoding: $0, as: UTF8.self) }
  }

  @inline(__always)
  private static func written<Text>(
    _ body: (UnsafeMutablePointer<JSONOutput>) throws -> Void, as text: (UnsafeBufferPointer<UInt8>) -> Text
  ) throws -> Text {
    var output = JSONOutput()
    defer { free(output.base) }
    try withUnsafeMutablePointer(to: &output) { try body($0) }
    try output.checkForFailure()
    return text(UnsafeBufferPointer(start: output.base, count: output.count))
  }

  private init() {
    capacity = 512
    base = Self.allocated(malloc(512))
  }

  private static func allocated(_ memory: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<UInt8> {
    guard let memory else { fatalError("out of memory") }
    return memory.assumingMemoryBound(to: UInt8.self)
  }

  @inline(__always) private mutating func reserve(_ more: Int) {
    if count &+ more > capacity { grow(more) }
  }
  @inline(never) private mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    base = Self.allocated(realloc(base, capacity))
  }

  mutating func fail(_ failure: Failure) {
    if self.failure == nil { self.failure = failure }
  }
  var hasFailed: Bool { failure != nil }
  @inline(__always) func checkForFailure() throws {
    guard let failure else { return }
    throw EncodingError.invalidValue(
      failure, EncodingError.Context(codingPath: [], debugDescription: failure.rawValue))
  }

  // MARK: Containers

  /// - Returns: the depth inside. Brackets closed or opened in the wrong order are noticed by `isOpen`.
  @inline(__always) mutating func open(_ bracket: UInt8) -> Int {
    if depth == JSONScanner.deepest {
      fail(.tooDeep)
      return depth
    }
    depth &+= 1
    brackets[depth] = count
    put(bracket)
    return depth
  }

  /// Closes what is open deeper than `level`. Nested containers have no end of their own: the next thing written
  /// outside them ends them.
  @inline(__always) mutating func close(to level: Int) {
    while depth > level {
      finishValue()
      put(base[brackets[depth]] == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]"))
      depth &-= 1
    }
  }

  /// A member or element whose encoder wrote nothing gets an empty object.
  @inline(__always) private mutating func finishValue() {
    let last = base[count - 1]
    if last == UInt8(ascii: ":") || last == UInt8(ascii: ",") { put("{}") }
  }

  /// Where the bracket of the container that is open at `level` stands.
  @inline(__always) func bracket(at level: Int) -> Int { level <= depth ? brackets[level] : -1 }

  /// Ends what is open inside the container and separates what follows from what stands there already.
  @inline(__always) mutating func nextElement(of level: Int) {
    close(to: level)
    finishValue()
    if count != brackets[level] + 1 { put(UInt8(ascii: ",")) }
  }

  /// The comma before a member, where there is one already, and its name.
  /// - Parameter name: without characters that are escaped.
  @inline(__always) mutating func startMember(_ name: StaticString, of level: Int) {
    if depth > level { close(to: level) }
    let length = name.utf8CodeUnitCount
    reserve(length + 4)
    var at = base + count
    if count != brackets[level] + 1 {
      at.pointee = UInt8(ascii: ",")
      at += 1
    }
    at.pointee = UInt8(ascii: "\"")
    memcpy(at + 1, name.utf8Start, length)
    at += length + 1
    at.pointee = UInt8(ascii: "\"")
    (at + 1).pointee = UInt8(ascii: ":")
    count = at + 2 - base
  }

  // MARK: Values

  @inline(__always) mutating func put(_ byte: UInt8) {
    reserve(1)
    base[count] = byte
    count &+= 1
  }
  @inline(__always) mutating func put(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    reserve(length)
    memcpy(base + count, text.utf8Start, length)
    count &+= length
  }
  mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    memcpy(base + count, start, bytes.count)
    count += bytes.count
  }
  mutating func put(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { put($0) } }

  @inline(__always) mutating func put(_ value: Bool) {
    if value { put("true") } else { put("false") }
  }

  /// Makes room for a string's text, which is then written behind `base + count`.
  @inline(__always) mutating func reserve(text length: Int) { reserve(length + 8) }
  /// What was written behind the end counts.
  @inline(__always) mutating func advance(_ length: Int) { count &+= length }

  mutating func put<Integer: FixedWidthInteger>(integer value: Integer) {
    reserve(40)
    var magnitude = value.magnitude
    if value < 0 { put(UInt8(ascii: "-")) }
    var digits = 1
    var rest = magnitude
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    count += digits
    var at = count
    repeat {
      at -= 1
      base[at] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10)
      magnitude /= 10
    } while magnitude > 0
  }

  /// The shortest text that reads back as the same value.
  mutating func put<Number: BinaryFloatingPoint & CustomStringConvertible>(number value: Number) {
    guard value.isFinite else { return fail(.notFinite) }
    var text = value.description
    text.withUTF8 { put($0) }
  }

  mutating func put(_ timestamp: Timestamp) {
    reserve(Timestamp.textLength + 2)
    put(UInt8(ascii: "\""))
    timestamp.write(to: base + count)
    count += Timestamp.textLength
    put(UInt8(ascii: "\""))
  }
}
