// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import AssentCLI

struct PrettyJSONTests {
  @Test(arguments: [
    ("1", "1"), ("\"a,{}:\"", "\"a,{}:\""), ("{}", "{}"), ("[]", "[]"), ("[ ]", "[]"), ("[[],{}]", "[\n  [],\n  {}\n]"),
    (#"{"a":1,"b":[true,null]}"#, "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null\n  ]\n}"),
    (#"{"a\"}":"\\"}"#, "{\n  \"a\\\"}\": \"\\\\\"\n}"),
  ])
  func `values stay, only space between them changes`(_ json: String, _ pretty: String) throws {
    let text = PrettyJSON.text(Array(json.utf8))
    #expect(String(decoding: text, as: UTF8.self) == pretty)
    #expect(try JSON.decode(JSONValue.self, from: text) == JSON.decode(JSONValue.self, from: json))
  }
}

struct JoinedExportTests {
  @Test
  func `pages of json make one array`() throws {
    var joined = JoinedExport(.json)
    let text =
      joined.add("[\n{\"a\":\"}\"},\n{\"a\":2}\n]\n") + joined.add("[\n]\n") + joined.add("[\n{\"a\":3}\n]\n")
      + joined.end
    #expect(try JSON.decode(JSONValue.self, from: text) == [["a": "}"], ["a": 2], ["a": 3]])
  }

  @Test
  func `no entries make an empty array`() throws {
    var joined = JoinedExport(.json)
    let text = joined.add("[\n]\n") + joined.end
    #expect(try JSON.decode(JSONValue.self, from: text) == [])
  }

  @Test
  func `pages of csv have one header`() {
    var joined = JoinedExport(.csv)
    #expect(
      joined.add("a,b\r\n1,2\r\n") + joined.add("a,b\r\n\"3\n\",4\r\n") + joined.end == "a,b\r\n1,2\r\n\"3\n\",4\r\n")
  }

  @Test
  func `lines follow lines`() {
    var joined = JoinedExport(.readable)
    #expect(joined.add("x\n") + joined.add("y\n") + joined.end == "x\ny\n")
  }
}
