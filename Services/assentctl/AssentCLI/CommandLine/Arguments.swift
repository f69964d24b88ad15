// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// An option of the command line.
struct Option: Sendable, Hashable {
  /// `--token`.
  let name: String
  /// What its value stands for in the help; nil for a switch.
  let value: String?
  let help: String
  var isRepeatable = false

  init(_ name: String, _ value: String? = nil, _ help: String, isRepeatable: Bool = false) {
    self.name = name
    self.value = value
    self.help = help
    self.isRepeatable = isRepeatable
  }
}

/// The words after the program's name, sorted into options and the rest.
///
/// Options may stand anywhere, as `--name value` or `--name=value`; after `--` everything is a plain word.
struct Arguments: Sendable, Equatable {
  private(set) var words: [String] = []
  private var values: [String: [String]] = [:]

  /// - Throws: `UsageError` for an option that is unknown, lacks its value, has one too many, or is given twice.
  init(_ line: [String], options: [Option]) throws(UsageError) {
    let known = Dictionary(options.map { ($0.name, $0) }) { first, _ in first }
    var rest = line[...]
    while let word = rest.popFirst() {
      if word == "--" {
        words += rest
        return
      }
      guard word.hasPrefix("-"), word != "-" else {
        words.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0] == "-h" ? "--help" : String(parts[0])
      guard let option = known[name] else { throw UsageError("unknown option \(name)") }
      let value: String
      if option.value == nil {
        guard parts.count == 1 else { throw UsageError("\(name) takes no value") }
        value = ""
      } else if parts.count == 2 {
        value = String(parts[1])
      } else if let next = rest.popFirst() {
        value = next
      } else {
        throw UsageError("\(name) needs a value: \(name) \(option.value!)")
      }
      if values[name] != nil, option.value != nil, !option.isRepeatable {
        throw UsageError("\(name) is given twice")
      }
      values[name, default: []].append(value)
    }
  }

  /// The names of the options that are there.
  var optionNames: Set<String> { Set(values.keys) }

  func has(_ name: String) -> Bool { values[name] != nil }
  func value(_ name: String) -> String? { values[name]?.first }
  func values(_ name: String) -> [String] { values[name] ?? [] }

  /// - Throws: `UsageError` when it is missing.
  func required(_ name: String) throws(UsageError) -> String {
    guard let value = value(name) else { throw UsageError("\(name) is missing") }
    return value
  }

  /// - Throws: `UsageError` when it is no whole number.
  func integer(_ name: String) throws(UsageError) -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text) else { throw UsageError("\(name) must be a whole number") }
    return number
  }

  /// Without the first words: those that name the command.
  func dropping(words count: Int) -> Arguments {
    var rest = self
    rest.words.removeFirst(count)
    return rest
  }
}

/// The command line cannot be understood. Says what to change.
struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
