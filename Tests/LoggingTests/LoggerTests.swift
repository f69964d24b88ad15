// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import Logging
import Testing
import Threading

@Suite struct LoggerTests {
  @Test func aLineIsOneJSONObjectWithItsValues() throws {
    let lines = Lock<[[UInt8]]>([])
    let logger = Logger(program: "x-service", output: { line in lines.withLock { $0.append(line) } })
    logger.info("two\nlines", ["count": 2, "name": "a\"b"])
    let line = try #require(lines.withLock { $0 }.first)
    #expect(line.last == UInt8(ascii: "\n") && line.filter { $0 == UInt8(ascii: "\n") }.count == 1)
    let value = try JSON.decode(JSONValue.self, from: line.dropLast().map { $0 })
    #expect(value["message"] == "two\nlines" && value["severity"] == "INFO" && value["service"] == "x-service")
    #expect(value["count"] == 2 && value["name"] == "a\"b")
    #expect(value["timestamp"]?.stringValue.flatMap { Timestamp($0) } != nil)
  }

  @Test func linesBelowTheThresholdAreNotEvenMade() {
    let lines = Lock(0)
    let logger = Logger(program: "x", threshold: .warning, output: { _ in lines.withLock { $0 += 1 } })
    var made = false
    func values() -> [String: JSONValue] {
      made = true
      return [:]
    }
    logger.info("no", values())
    #expect(!made)
    logger.error("yes")
    #expect(lines.withLock { $0 } == 1)
  }
}
