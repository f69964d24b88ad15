// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Derives JSON Schemas from Decodable types: lets each decode itself from a decoder that gives every member a plain
/// value and writes down what was asked for.
///
/// Objects are named schemas and refer to one another, so that a type may contain itself. Values of closed sets are
/// taken from `CaseIterable`; collections, optionals and numbers are understood without decoding them.
public struct SchemaRecorder {
  /// The objects met so far, by name.
  public private(set) var named: [String: Schema] = [:]
  /// Types that are being recorded: meeting one again is recursion.
  private var open: Set<ObjectIdentifier> = []
  private var names: [ObjectIdentifier: String] = [:]

  public init() {}

  /// The schema of a type; objects are references into `named`.
  /// - Throws: `SchemaError`, naming the type and the place.
  public mutating func record(_ type: any Decodable.Type) throws(SchemaError) -> Schema {
    try recordAny(type, path: String(describing: type)).schema
  }

  /// The members of a type that is an object.
  /// - Throws: `SchemaError`, also for a type that is none.
  public mutating func members(of type: any Decodable.Type) throws(SchemaError) -> [Schema.Member] {
    let schema = try record(type)
    if case .reference(let name) = schema, case .object(let members) = named[name] { return members }
    if case .object(let members) = schema { return members }
    throw SchemaError(type: String(describing: type), path: String(describing: type), reason: "it is no object")
  }

  /// `example` is nil for a type that is met again inside itself.
  mutating func record<T: Decodable>(_ type: T.Type, path: String) throws(SchemaError) -> (schema: Schema, example: T?)
  {
    if let described = type as? any SchemaDescribed.Type { return (described.schema, described.schemaExample as? T) }
    if let simple = SimpleTypes.schema(of: type) { return (simple.schema, simple.example as? T) }
    if let collection = type as? any SchemaTransparent.Type {
      return (try collection.schema(&self, path), collection.emptyExample as? T)
    }
    return try recordObject(type, path)
  }

  mutating func recordAny(_ type: any Decodable.Type, path: String) throws(SchemaError) -> (
    schema: Schema, example: Any?
  ) {
    func opened<T: Decodable>(
      _ type: T.Type, _ recorder: inout SchemaRecorder
    ) throws(SchemaError) -> (schema: Schema, example: Any?) {
      let recorded = try recorder.record(type, path: path)
      return (recorded.schema, recorded.example)
    }
    return try opened(type, &self)
  }

  private mutating func recordObject<T: Decodable>(
    _ type: T.Type, _ path: String
  ) throws(SchemaError) -> (schema: Schema, example: T?) {
    let identity = ObjectIdentifier(type)
    let name = name(of: type)
    guard open.insert(identity).inserted else { return (.reference(name), nil) }
    defer { open.remove(identity) }
    let node = RecordingNode(path: path)
    let recording = Recording(self)
    let example: T
    do {
      example = try T(from: RecordingDecoder(recording: recording, node: node))
    } catch let error as SchemaError {
      throw error
    } catch {
      throw SchemaError(type: name, path: path, reason: "it refuses plain values; make it SchemaDescribed")
    }
    self = recording.recorder
    let schema = node.schema
    guard case .object = schema else { return (schema, example) }
    named[name] = schema
    return (.reference(name), example)
  }

  /// The type's name without its module, unique among those recorded.
  private mutating func name(of type: Any.Type) -> String {
    let identity = ObjectIdentifier(type)
    if let name = names[identity] { return name }
    let words = String(reflecting: type).split { !($0.isLetter || $0.isNumber || $0 == "." || $0 == "_") }
    let base = words.map { word in
      word.split(separator: ".").dropFirst(word.contains(".") ? 1 : 0).joined(separator: ".")
    }.joined(separator: "_")
    var name = base
    var count = 1
    while names.values.contains(name) {
      count += 1
      name = "\(base)\(count)"
    }
    names[identity] = name
    return name
  }
}

/// The recorder while decoders hold on to it.
final class Recording {
  var recorder: SchemaRecorder
  init(_ recorder: SchemaRecorder) { self.recorder = recorder }
}

/// What was asked for at one place.
final class RecordingNode {
  enum Content { case schema(Schema), node(RecordingNode) }
  let path: String
  private var members: [(name: String, content: Content, isRequired: Bool)] = []
  var single: Schema?
  init(path: String) { self.path = path }

  func add(_ key: any CodingKey, _ content: Content, isRequired: Bool) {
    if let index = members.firstIndex(where: { $0.name == key.stringValue }) {
      members[index].isRequired = members[index].isRequired && isRequired
    } else {
      members.append((key.stringValue, content, isRequired))
    }
  }

  var schema: Schema {
    if let single { return single }
    return .object(
      members.map { member in
        switch member.content {
        case .schema(let schema): Schema.Member(member.name, schema, isRequired: member.isRequired)
        case .node(let node): Schema.Member(member.name, node.schema, isRequired: member.isRequired)
        }
      })
  }
}
