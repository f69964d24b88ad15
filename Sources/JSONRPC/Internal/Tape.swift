// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The tokens of one document, reused from message to message so that a scan allocates nothing.
///
/// The contents sit behind a plain pointer: decoders and containers hold that instead of the class, since a retain, a
/// release and an exclusivity check for each member cost more than the decoding.
final class Tape {
  let storage: UnsafeMutablePointer<TapeStorage>

  init(capacity: Int = 64) {
    storage = .allocate(capacity: 1)
    storage.initialize(to: TapeStorage(capacity: capacity))
  }
  deinit {
    storage.pointee.deallocate()
    storage.deallocate()
  }

  /// Scans one document. `bytes` must stay valid while the tape is read.
  func scan(_ bytes: UnsafeRawBufferPointer) throws(JSONSyntaxError) {
    storage.pointee.clear(for: bytes.count)
    guard bytes.baseAddress != nil else { throw JSONSyntaxError(.endOfInput, 0) }
    try storage.pointee.scan(bytes)
  }

  /// Valid while this tape lives.
  var reader: TapeReader { TapeReader(storage: storage) }
}

/// What a tape holds.
struct TapeStorage {
  private(set) var tokens: UnsafeMutablePointer<Token>
  var count = 0
  /// Some string of the document holds U+0000.
  var holdsNUL = false
  /// The value being decoded: paths in errors begin below it.
  var root = 0
  /// The document's first byte.
  var base: UnsafePointer<UInt8>
  private var capacity: Int
  private var ownsTokens: Bool

  init(capacity: Int) {
    self.init(tokens: .allocate(capacity: capacity), capacity: capacity, ownsTokens: true)
  }

  private init(tokens: UnsafeMutablePointer<Token>, capacity: Int, ownsTokens: Bool) {
    self.tokens = tokens
    self.capacity = capacity
    self.ownsTokens = ownsTokens
    base = UnsafePointer(UnsafeRawPointer(tokens).assumingMemoryBound(to: UInt8.self))
  }

  /// Scans one document onto a tape of its own, which is on the stack as long as the document is small.
  @inline(__always)
  static func scanning<Result>(
    _ bytes: UnsafeRawBufferPointer, _ body: (TapeReader) throws -> Result
  ) throws -> Result {
    guard bytes.baseAddress != nil else { throw JSONSyntaxError(.endOfInput, 0) }
    return try withUnsafeTemporaryAllocation(of: Token.self, capacity: 64) { stack in
      var storage = TapeStorage(tokens: stack.baseAddress.unsafelyUnwrapped, capacity: stack.count, ownsTokens: false)
      defer { storage.deallocate() }
      try storage.scan(bytes)
      return try withUnsafeMutablePointer(to: &storage) { try body(TapeReader(storage: $0)) }
    }
  }

  /// - Precondition: `bytes` has an address.
  mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(JSONSyntaxError) {
    base = bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
    try JSONScanner(bytes).scan(into: &self)
  }

  func deallocate() {
    if ownsTokens { tokens.deallocate() }
  }

  /// Forgets the document before. What a large one took is given back when the next one is small.
  mutating func clear(for byteCount: Int) {
    count = 0
    holdsNUL = false
    root = 0
    if capacity > 1 << 14, byteCount < 1 << 13 {
      tokens.deallocate()
      capacity = 256
      tokens = .allocate(capacity: capacity)
    }
  }

  /// - Returns: the new token's index.
  @inline(__always) @discardableResult
  mutating func push(_ kind: TokenKind, _ start: Int, _ end: Int, marks: TokenMarks = []) -> Int {
    if count == capacity { grow() }
    tokens[count] = Token(kind, start: start, end: end, next: count &+ 1, marks: marks)
    count &+= 1
    return count &- 1
  }

  @inline(never) private mutating func grow() {
    let larger = UnsafeMutablePointer<Token>.allocate(capacity: capacity * 2)
    larger.update(from: tokens, count: count)
    deallocate()
    tokens = larger
    ownsTokens = true
    capacity *= 2
  }
}
