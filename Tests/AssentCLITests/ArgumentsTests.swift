// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AssentCLI

struct ArgumentsTests {
  static let options = [
    Option("--json", nil, ""), Option("--help", nil, ""), Option("--token", "TOKEN", ""),
    Option("--scope", "SCOPE", "", isRepeatable: true),
  ]

  struct Line: Sendable {
    var line: [String]
    var words: [String]
    var token: String?
    var scopes: [String] = []
    var isJSON = false
  }

  static let lines = [
    Line(line: [], words: []),
    Line(line: ["call", "consent.get", "{}"], words: ["call", "consent.get", "{}"]),
    Line(line: ["--json", "call", "--token", "t", "x"], words: ["call", "x"], token: "t", isJSON: true),
    Line(line: ["call", "--token=a=b", "x", "--json"], words: ["call", "x"], token: "a=b", isJSON: true),
    Line(line: ["--token="], words: [], token: ""),
    Line(line: ["--token", "--json"], words: [], token: "--json"),
    Line(line: ["--scope", "a", "--scope=b"], words: [], scopes: ["a", "b"]),
    Line(line: ["call", "x", "-"], words: ["call", "x", "-"]),
    Line(line: ["call", "--", "--json", "-x"], words: ["call", "--json", "-x"]),
    Line(line: ["--json", "--json"], words: [], isJSON: true),
  ]

  @Test(arguments: lines)
  func `options may stand anywhere, the rest are words`(_ line: Line) throws {
    let arguments = try Arguments(line.line, options: Self.options)
    #expect(arguments.words == line.words)
    #expect(arguments.value("--token") == line.token)
    #expect(arguments.values("--scope") == line.scopes)
    #expect(arguments.has("--json") == line.isJSON)
  }

  @Test(arguments: [
    (["--tokens", "x"], "unknown option --tokens"), (["-x"], "unknown option -x"),
    (["--token"], "--token needs a value: --token TOKEN"), (["--json=1"], "--json takes no value"),
    (["--token", "a", "--token", "b"], "--token is given twice"),
  ])
  func `what cannot be meant is said`(_ line: [String], _ problem: String) {
    #expect(throws: UsageError(problem)) { try Arguments(line, options: Self.options) }
  }

  @Test
  func `-h is --help`() throws { #expect(try Arguments(["-h"], options: Self.options).has("--help")) }

  @Test(arguments: [("500ms", 500), ("5s", 5_000), ("2", 2_000), ("30s", 30_000), ("1ms", 1)])
  func `times are seconds or milliseconds`(_ text: String, _ milliseconds: Int) throws {
    #expect(try Session.timeout(text) == milliseconds)
  }

  @Test(arguments: ["", "0", "-1s", "31s", "5m", "1.5s", "30001ms", "9223372036854775807"])
  func `other times are refused`(_ text: String) {
    #expect(throws: UsageError.self) { try Session.timeout(text) }
  }
}
