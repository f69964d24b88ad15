// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

extension TapeReader {
  /// Where a value is, such as `quietHours.from.hour` or `checks[3].category`. Found when something is wrong only.
  ///
  /// The search begins at `root`, the value whose path is empty; by default the value being decoded.
  func path(to index: Int, from root: Int? = nil) -> String {
    var path = ""
    var container = root ?? storage.pointee.root
    descent: while container != index {
      let isObject = tokens[container].kind == .object
      var child = container + 1
      var position = 0
      while child < end(of: container) {
        let value = isObject ? child + 1 : child
        if index < end(of: value) {
          path = isObject ? JSONPath.member(memberName(child), of: path) : JSONPath.element(position, of: path)
          if index == child { return path }
          container = value
          continue descent
        }
        child = end(of: value)
        position += 1
      }
      return path
    }
    return path
  }

  /// A member's name for an error message.
  func memberName(_ index: Int) -> String {
    let name = (try? string(index)) ?? ""
    return name.count <= 64 ? name : String(name.prefix(64)) + "…"
  }
}

/// Paths in error messages.
enum JSONPath {
  static func member(_ name: String, of path: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
  static func element(_ position: Int, of path: String) -> String { "\(path)[\(position)]" }

  /// A coding path as it stands in a `DecodingError`. Since decoders here keep none, it begins at the type that threw.
  static func text(_ codingPath: [any CodingKey], below path: String) -> String {
    codingPath.reduce(path) { path, key in
      key.intValue.map { element($0, of: path) } ?? member(key.stringValue, of: path)
    }
  }
}
