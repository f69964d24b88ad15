// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

extension TapeReader {
  /// Decodes the value at `index`. Errors name the path below the tape's `root`.
  /// - Throws: `JSONDecodingError`, or `LocatedError` when the type itself refused.
  @inline(__always)
  func decode<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
    // Each bit cast is from the very type that was just compared, and saves building a decoder.
    if T.self == String.self { return unsafeBitCast(try string(index), to: T.self) }
    if T.self == Timestamp.self { return unsafeBitCast(try timestamp(index), to: T.self) }
    if T.self == [String: JSONValue].self { return unsafeBitCast(try members(of: index), to: T.self) }
    do {
      return try T(from: TapeDecoder(self, index))
    } catch {
      throw located(error, at: index, type)
    }
  }

  /// Puts the place in front of what a type's own `init(from:)` threw.
  @inline(never)
  private func located<T>(_ error: any Error, at index: Int, _ type: T.Type) -> any Error {
    switch error {
    case is JSONDecodingError, is LocatedError: return error
    case let error as RPCError: return LocatedError(error, below: path(to: index))
    case let error as DecodingError: return JSONDecodingError(error, at: path(to: index), type)
    default: return JSONDecodingError(path: path(to: index), problem: "is not allowed")
    }
  }

  func jsonValue(_ index: Int) throws -> JSONValue {
    switch tokens[index].kind {
    case .null: return .null
    case .true: return .bool(true)
    case .false: return .bool(false)
    case .string, .escapedString: return .string(try string(index))
    case .integer:
      let digits = bytes(of: index)
      // "-0" is a number that no integer keeps.
      if let value = DecimalNumber.integer(digits, isInteger: true, as: Int64.self), value != 0 || digits.count == 1 {
        return .integer(value)
      }
      return .number(try double(index))
    case .number: return .number(try double(index))
    case .array:
      var elements: [JSONValue] = []
      var element = index + 1
      while element < end(of: index) {
        elements.append(try jsonValue(element))
        element = end(of: element)
      }
      return .array(elements)
    case .object: return .object(try members(of: index))
    }
  }

  func members(of index: Int) throws -> [String: JSONValue] {
    guard tokens[index].kind == .object else { throw mismatch(index, "an object") }
    // Growing a dictionary step by step takes longer than filling it.
    var count = 0
    var name = index + 1
    while name < end(of: index) {
      count += 1
      name = end(of: name + 1)
    }
    var members: [String: JSONValue] = Dictionary(minimumCapacity: count)
    name = index + 1
    while name < end(of: index) {
      if !tokens[name].has(.hidden) { members[try string(name)] = try jsonValue(name + 1) }
      name = end(of: name + 1)
    }
    return members
  }

  /// A copy of the value's bytes, hidden members left out.
  func rawJSON(_ index: Int) -> RawJSON {
    let all = bytes(of: index)
    // Params that were left out are an object without bytes.
    guard !all.isEmpty else { return RawJSON(Array("{}".utf8)) }
    if tokens[index].kind == .object {
      var name = index + 1
      while name < end(of: index) {
        if tokens[name].has(.hidden) { return RawJSON(bytes(of: index, withoutMember: name)) }
        name = end(of: name + 1)
      }
    }
    return RawJSON(Array(all))
  }

  /// The bytes of a value that contains the member `name`, with that member and one comma cut out.
  func bytes(of index: Int, withoutMember name: Int) -> [UInt8] {
    let base = storage.pointee.base
    let whole = Int(tokens[index].start)..<Int(tokens[index].end)
    var cut = Int(tokens[name].start)..<Int(tokens[name + 1].end)
    func isSpace(_ at: Int) -> Bool { base[at] == 0x20 || (0x09...0x0D).contains(base[at]) }
    var after = cut.upperBound
    while isSpace(after) { after += 1 }
    if base[after] == UInt8(ascii: ",") {
      cut = cut.lowerBound..<after + 1
    } else {
      var before = cut.lowerBound - 1
      while isSpace(before) { before -= 1 }
      if base[before] == UInt8(ascii: ",") { cut = before..<cut.upperBound }
    }
    return [UInt8](unsafeUninitializedCapacity: whole.count - cut.count) { copy, count in
      let head = UnsafeBufferPointer(start: base + whole.lowerBound, count: cut.lowerBound - whole.lowerBound)
      let tail = UnsafeBufferPointer(start: base + cut.upperBound, count: whole.upperBound - cut.upperBound)
      count = copy.initialize(fromContentsOf: head)
      count = copy[count...].initialize(fromContentsOf: tail)
    }
  }
}

/// What a type's own `init(from:)` threw, with the place in front.
struct LocatedError: Error {
  let error: RPCError

  /// `message` begins with the field, by the rule of `RPCError.invalidParams`; so does the located one.
  init(_ original: RPCError, below path: String) {
    var error = original
    let field = original.field ?? ""
    var rest = Substring(original.message)
    if rest.hasPrefix(field) {
      rest = rest.dropFirst(field.count)
    } else {
      rest = ": " + rest
    }
    let isSeparate = !field.isEmpty && !field.hasPrefix("[") && !path.isEmpty
    let place = path + (isSeparate ? "." : "") + field
    error.field = place
    error.message = place + (rest.hasPrefix(":") ? rest : ": " + rest)
    self.error = error
  }
}

extension JSONDecodingError {
  /// The standard library's own errors, such as that of an enum for a value that is no case. Their texts may hold the
  /// text that was found, so none of it is passed on.
  init<T>(_ error: DecodingError, at path: String, _ type: T.Type) {
    switch error {
    case .keyNotFound(let key, let context):
      self.init(
        path: JSONPath.member(key.stringValue, of: JSONPath.text(context.codingPath, below: path)),
        problem: "is missing")
    case .dataCorrupted(let context):
      if let allowed = AllowedValues.of(type) {
        self.init(path: path, problem: "must be one of \(allowed.joined(separator: ", "))")
      } else if T.self is any RawRepresentable.Type {
        self.init(path: path, problem: "is not an allowed value")
      } else {
        self.init(path: JSONPath.text(context.codingPath, below: path), problem: context.debugDescription)
      }
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      self.init(path: JSONPath.text(context.codingPath, below: path), problem: "is not of the right type")
    @unknown default: self.init(path: path, problem: "is not allowed")
    }
  }

  /// As the caller of a method is told.
  var rpcError: RPCError { .invalidParams(path.isEmpty ? "params" : path, problem) }
}

/// The values of an enum with raw values that lists its cases.
enum AllowedValues {
  static func of<T>(_ type: T.Type) -> [String]? {
    guard let iterable = type as? any CaseIterable.Type else { return nil }
    return values(iterable)
  }
  private static func values<C: CaseIterable>(_ type: C.Type) -> [String]? {
    let values = type.allCases.compactMap { ($0 as? any RawRepresentable).map { "\($0.rawValue)" } }
    return values.isEmpty ? nil : values
  }
}
