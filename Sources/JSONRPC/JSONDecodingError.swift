// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not the JSON that was asked for.
public struct JSONDecodingError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Where, such as `quietHours.from.hour` or `checks[3].category`; empty for the whole value.
  public var path: String
  /// What is wrong and what is allowed; never the text found there.
  public var problem: String

  public init(path: String, problem: String) {
    self.path = path
    self.problem = problem
  }

  public var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}

extension JSONDecodingError {
  /// Whatever reading a document can throw.
  init(any error: any Error) {
    switch error {
    case let error as JSONDecodingError: self = error
    case let error as JSONSyntaxError: self.init(path: "", problem: error.explanation)
    case let error as LocatedError:
      let field = error.error.field ?? ""
      let problem = error.error.message.dropFirst(field.isEmpty ? 0 : field.count + 2)
      self.init(path: field, problem: String(problem))
    default: self.init(path: "", problem: "is not allowed")
    }
  }
}
