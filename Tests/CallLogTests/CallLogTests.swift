// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import CallLog
import Configuration
import Glibc
import JSONRPC
import Logging
import RPC
import Testing
import Threading
import Tracing

@Suite struct CallLogTests {
  static let trace = TraceContext("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")!

  private func line(
    _ level: Logger.Level, threshold: Logger.Level = .debug, principal: Principal?, refs: SubjectRefs = SubjectRefs()
  ) throws -> JSONValue? {
    let lines = Lock<[[UInt8]]>([])
    let logger = Logger(program: "x", threshold: threshold, output: { line in lines.withLock { $0.append(line) } })
    CallLog(logger, refs).failed(
      level, "consent.check", status: "UNAVAILABLE", problem: "storeAway", principal: principal, requestId: "r-1",
      trace: Self.trace)
    return try lines.withLock { $0 }.first.map { try JSON.decode(JSONValue.self, from: Array($0.dropLast())) }
  }

  @Test func `a line has the names by which a call is found elsewhere, and not whose it was`() throws {
    let refs = SubjectRefs(key: [UInt8](repeating: 7, count: 32))
    let principal = Principal(kind: .user, app: "shop", accountId: "maya", deviceId: "phone")
    let line = try #require(try line(.error, principal: principal, refs: refs))
    #expect(line["traceId"] == "0af7651916cd43dd8448eb211c80319c" && line["spanId"] == "b7ad6b7169203331")
    #expect(line["requestId"] == "r-1" && line["method"] == "consent.check" && line["status"] == "UNAVAILABLE")
    #expect(line["severity"] == "ERROR" && line["message"] == "fault" && line["problem"] == "storeAway")
    #expect(line["subjectRef"]?.stringValue == refs.ref(app: "shop", "a:maya"))
    let text = try JSON.encodeString(line)
    #expect(!text.contains("maya") && !text.contains("phone"))
  }

  @Test func `a reference depends on key, app and subject, and on nothing else`() {
    let key = [UInt8](repeating: 7, count: 32)
    let ref = SubjectRefs(key: key).ref(app: "a", "a:b")
    #expect(ref.utf8.count == 32 && ref == SubjectRefs(key: key).ref(app: "a", "a:b"))
    #expect(ref != SubjectRefs(key: [UInt8](repeating: 8, count: 32)).ref(app: "a", "a:b"))
    #expect(ref != SubjectRefs(key: key).ref(app: "b", "a:b") && ref != SubjectRefs(key: key).ref(app: "a", "d:b"))
    #expect(SubjectRefs().ref(app: "a", "a:b") != SubjectRefs().ref(app: "a", "a:b"))
  }

  @Test func `a caller without a credential, or with a key, is no subject`() throws {
    #expect(try line(.debug, principal: nil)?["subjectRef"] == nil)
    #expect(try line(.debug, principal: Principal(kind: .key, name: "sender"))?["subjectRef"] == nil)
    #expect(try line(.debug, principal: Principal(kind: .device, deviceId: "d"))?["subjectRef"] != nil)
  }

  @Test func `what callers do wrong is logged only where it is asked for`() throws {
    #expect(try line(.debug, threshold: .info, principal: nil) == nil)
  }

  @Test func `the key comes from a private file of 64 digits`() throws {
    let path = "/tmp/assent-log-key-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    defer { unlink(path) }
    func refs(_ text: String, mode: mode_t) throws -> String {
      unlink(path)
      let file = open(path, O_CREAT | O_WRONLY, 0o600)
      _ = text.withCString { write(file, $0, strlen($0)) }
      fchmod(file, mode)
      close(file)
      return try SubjectRefs(Configuration(["ASSENT_LOG_KEY_FILE": path])).ref(app: "a", "a:b")
    }
    let digits = String(repeating: "07", count: 32)
    #expect(
      try refs(digits + "\n", mode: 0o600) == SubjectRefs(key: [UInt8](repeating: 7, count: 32)).ref(app: "a", "a:b"))
    #expect(throws: ConfigurationError.self) { try refs(digits, mode: 0o644) }
    #expect(throws: ConfigurationError.self) { try refs("07", mode: 0o600) }
    #expect(throws: ConfigurationError.self) { try refs(digits + "07", mode: 0o600) }
    #expect(throws: ConfigurationError.self) { try SubjectRefs(Configuration(["ASSENT_LOG_KEY_FILE": "/none"])) }
  }
}
