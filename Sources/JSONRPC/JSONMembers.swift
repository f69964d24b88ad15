// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// An object being decoded by name, for types that are part of every write or delivery: what a keyed container does, at a
/// fraction of the cost where the decoder is this module's. Others, such as the one that derives schemas, are asked through
/// a keyed container all the same.
public struct JSONMembers {
  private enum Source {
    case tape(TapeReader, object: Int)
    case other(KeyedDecodingContainer<AnyKey>)
  }
  private let source: Source

  /// - Throws: when the value is no object.
  public init(_ decoder: any Decoder) throws {
    if let decoder = decoder as? TapeDecoder {
      try decoder.tape.open(object: decoder.index)
      source = .tape(decoder.tape, object: decoder.index)
    } else {
      source = .other(try decoder.container(keyedBy: AnyKey.self))
    }
  }

  // MARK: Members that must be there

  public func read(_ name: StaticString) throws -> String {
    switch source {
    case .tape(let tape, let object): try tape.string(tape.required(name, in: object))
    case .other(let container): try container.decode(String.self, forKey: AnyKey(name))
    }
  }
  public func read(_ name: StaticString) throws -> Int64 {
    switch source {
    case .tape(let tape, let object): try tape.integer(tape.required(name, in: object), Int64.self)
    case .other(let container): try container.decode(Int64.self, forKey: AnyKey(name))
    }
  }
  public func read(_ name: StaticString) throws -> Int {
    switch source {
    case .tape(let tape, let object): try tape.integer(tape.required(name, in: object), Int.self)
    case .other(let container): try container.decode(Int.self, forKey: AnyKey(name))
    }
  }
  public func read(_ name: StaticString) throws -> Timestamp {
    switch source {
    case .tape(let tape, let object): try tape.timestamp(tape.required(name, in: object))
    case .other(let container): try container.decode(Timestamp.self, forKey: AnyKey(name))
    }
  }
  /// Null counts as no members.
  public func read(_ name: StaticString) throws -> [String: JSONValue] {
    switch source {
    case .tape(let tape, let object):
      let value = try tape.required(name, in: object)
      return tape[value].kind == .null ? [:] : try tape.members(of: value)
    case .other(let container): return try container.decode([String: JSONValue].self, forKey: AnyKey(name))
    }
  }
  public func read(_ name: StaticString) throws -> [String: Bool] {
    switch source {
    case .tape(let tape, let object): try tape.flags(of: tape.required(name, in: object))
    case .other(let container): try container.decode([String: Bool].self, forKey: AnyKey(name))
    }
  }
  /// Nil where the object has to be read otherwise: as a dictionary.
  public func readPlain(_ name: StaticString) throws -> PlainMembers? {
    guard case .tape(let tape, let object) = source else { return nil }
    return PlainMembers(tape, try tape.required(name, in: object))
  }
  public func readAll<Element: Decodable>(_ name: StaticString) throws -> [Element] {
    switch source {
    case .tape(let tape, let object): try tape.elements(of: tape.required(name, in: object))
    case .other(let container): try container.decode([Element].self, forKey: AnyKey(name))
    }
  }
  public func read<Value: Decodable>(_ name: StaticString) throws -> Value {
    switch source {
    case .tape(let tape, let object): try tape.decode(Value.self, at: tape.required(name, in: object))
    case .other(let container): try container.decode(Value.self, forKey: AnyKey(name))
    }
  }

  // MARK: Members that may be missing or null

  public func readIfPresent(_ name: StaticString) throws -> String? {
    switch source {
    case .tape(let tape, let object): try tape.optional(name, in: object).map { try tape.string($0) }
    case .other(let container): try container.decodeIfPresent(String.self, forKey: AnyKey(name))
    }
  }
  public func readIfPresent<Value: Decodable>(_ name: StaticString) throws -> Value? {
    switch source {
    case .tape(let tape, let object): try tape.optional(name, in: object).map { try tape.decode(Value.self, at: $0) }
    case .other(let container): try container.decodeIfPresent(Value.self, forKey: AnyKey(name))
    }
  }
}

extension AnyKey {
  fileprivate init(_ name: StaticString) { self.init(stringValue: "\(name)") }
}
