// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

import JSONRPC

/// SplitMix64: the same sequence for the same seed, so that a failure can be repeated.
private struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

@Suite struct FuzzTests {
  private struct Params: Codable {
    var name: String?
    var list: [Inner]?
    var map: [String: Double]?
    struct Inner: Codable { var at: Timestamp? }
  }

  private static let seeds = [
    #"{"jsonrpc":"2.0","id":"é\u00e9","method":"consent.check","params":{"name":"a\n😀\ud83d\ude00","_meta":{"token":"t"}}}"#,
    #"[{"jsonrpc":"2.0","id":1e2,"method":"m","params":{"list":[{"at":"2026-01-02T03:04:05.678Z"},{}]}},{"foo":null}]"#,
    #" { "jsonrpc" : "2.0" , "method" : "n" , "params" : { "map" : { "a" : -0.5e-3 , "b" : 12345678901234567890 } } } "#,
  ].map { Array($0.utf8) }

  /// Whatever is done with a message, it ends in a value or an error.
  private func exercise(_ parser: MessageParser, _ bytes: [UInt8]) {
    bytes.withUnsafeBytes { raw in
      let requests: [ParsedRequest]
      switch parser.parse(raw) {
      case .refused(let error): requests = Response.error(nil, error).isEmpty ? [] : []
      case .single(let request): requests = [request]
      case .batch(let batch): requests = batch
      }
      for request in requests {
        _ = parser.id(request)
        _ = parser.methodName(request)
        _ = try? parser.meta(request)
        _ = try? parser.params(Params.self, of: request)
        _ = try? parser.params(JSONValue.self, of: request)
        let rest = parser.bodyWithoutMeta(request)
        #expect(rest.count <= parser.bytes(of: request).count)
        #expect((try? JSON.decode(RawJSON.self, from: rest)) != nil, "cutting _meta out leaves JSON")
      }
      _ = Response.parse(raw)
      _ = try? JSON.canonical(RawJSON(bytes))
    }
  }

  @Test(arguments: 0..<8) func mutatedMessagesEndInAValueOrAnError(seed: Int) {
    var generator = SeededGenerator(state: UInt64(seed))
    let parser = MessageParser()
    let interesting =
      Array(#"{}[]":,\u0eE+-._nulltrufas 0123456789"#.utf8) + [0x00, 0x1F, 0x80, 0xC3, 0xED, 0xF4, 0xFF]
    for _ in 0..<2_000 {
      var bytes = Self.seeds.randomElement(using: &generator) ?? []
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let at = Int.random(in: 0..<max(1, bytes.count), using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0 where at < bytes.count: bytes[at] = interesting.randomElement(using: &generator) ?? 0
        case 1 where at < bytes.count: bytes.remove(at: at)
        case 2: bytes.insert(interesting.randomElement(using: &generator) ?? 0, at: min(at, bytes.count))
        case 3: bytes.removeLast(min(bytes.count, Int.random(in: 0...20, using: &generator)))
        default:
          let other = Self.seeds.randomElement(using: &generator) ?? []
          bytes.insert(
            contentsOf: other[..<Int.random(in: 0...other.count, using: &generator)], at: min(at, bytes.count))
        }
      }
      exercise(parser, bytes)
    }
  }

  @Test(arguments: 0..<4) func randomBytesEndInAValueOrAnError(seed: Int) {
    var generator = SeededGenerator(state: UInt64(1000 + seed))
    let parser = MessageParser()
    for _ in 0..<2_000 {
      let count = Int.random(in: 0..<64, using: &generator)
      exercise(parser, (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
  }

  @Test(arguments: 0..<8) func everyValueComesBackFromItsText(seed: Int) throws {
    var generator = SeededGenerator(state: UInt64(2000 + seed))
    for _ in 0..<500 {
      let value = Self.value(depth: 5, &generator)
      let bytes = try JSON.encode(value)
      #expect(try JSON.decode(JSONValue.self, from: bytes) == value)
      #expect(try JSON.encode(JSON.decode(JSONValue.self, from: bytes)) == bytes)
    }
  }

  @Test(arguments: 0..<4) func everyDoubleComesBackFromItsText(seed: Int) throws {
    var generator = SeededGenerator(state: UInt64(3000 + seed))
    for _ in 0..<5_000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      #expect(try JSON.decode(Double.self, from: JSON.encode(value)).bitPattern == value.bitPattern)
    }
  }

  private static func value(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
    case 0: .null
    case 1: .bool(Bool.random(using: &generator))
    case 2: .integer(Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<63, using: &generator))
    case 3: .number(Double.random(in: -1e9...1e9, using: &generator) + 0.5)
    case 4, 5: .string(text(&generator))
    case 6: .array((0..<Int.random(in: 0..<5, using: &generator)).map { _ in value(depth: depth - 1, &generator) })
    default:
      .object(
        Dictionary(
          (0..<Int.random(in: 0..<5, using: &generator)).map { _ in
            (text(&generator), value(depth: depth - 1, &generator))
          }, uniquingKeysWith: { first, _ in first }))
    }
  }

  private static func text(_ generator: inout SeededGenerator) -> String {
    var scalars = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0..<12, using: &generator) {
      let limit: UInt32 = [0x20, 0x80, 0x800, 0x1_0000, 0x11_0000].randomElement(using: &generator) ?? 0x80
      if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &generator)) { scalars.append(scalar) }
    }
    return String(scalars)
  }
}
