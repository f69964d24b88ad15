// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// The OpenRPC document of a set of methods, made from the same types that their handlers decode and encode.
public enum OpenRPC {
  /// Of the specification that the documents keep to.
  public static let version = "1.3.2"
  /// Of the contract: it grows compatibly and does not change otherwise.
  public static let contractVersion = "1.0.0"

  /// Methods in the order of their names.
  /// - Throws: `SchemaError` for a params or result type that shows no schema.
  public static func document(title: String, methods: [MethodDescriptor]) throws -> RawJSON {
    var recorder = SchemaRecorder()
    let described = try methods.sorted { $0.name < $1.name }.map { try describe($0, &recorder) }
    let document: JSONValue = [
      "openrpc": .string(version),
      "info": ["title": .string(title), "version": .string(contractVersion)],
      "methods": .array(described),
      "components": ["schemas": .object(recorder.named.mapValues(\.json))],
    ]
    return RawJSON(try JSON.encode(document))
  }

  private static func describe(_ method: MethodDescriptor, _ recorder: inout SchemaRecorder) throws -> JSONValue {
    var description: [String: JSONValue] = [
      "name": .string(method.name),
      "summary": .string(method.summary),
      "paramStructure": "by-name",
      "params": .array(try recorder.members(of: method.params).map(param)),
      "result": ["name": "result", "schema": try recorder.record(method.result).json],
      "x-access": access(method.access),
      "x-effect": .string(method.effect.rawValue),
    ]
    if !method.errors.isEmpty { description["errors"] = .array(method.errors.map(error)) }
    if method.deprecated { description["deprecated"] = true }
    return .object(description)
  }

  private static func param(_ member: Schema.Member) -> JSONValue {
    var param: [String: JSONValue] = ["name": .string(member.name), "schema": member.schema.json]
    if member.isRequired { param["required"] = true }
    return .object(param)
  }

  private static func error(_ code: ErrorCode) -> JSONValue {
    ["code": .integer(Int64(code.rawValue)), "message": .string(code.status)]
  }

  /// Only what admits somebody.
  private static func access(_ access: Access) -> JSONValue {
    var callers: [String: JSONValue] = [:]
    if access.anyone { callers["anyone"] = true }
    if access.device { callers["device"] = true }
    if access.user { callers["user"] = true }
    func list(_ name: String, _ values: [String]) {
      if !values.isEmpty { callers[name] = .array(values.map { .string($0) }) }
    }
    list("scopes", access.scopes)
    list("roles", access.roles)
    list("services", access.services)
    return .object(callers)
  }
}
