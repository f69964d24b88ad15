// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Configuration
import Foundation
import Testing

@testable import AuditService

struct AuditKeyFileTests {
  /// A path in a folder of its own.
  static func path() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("audit-key-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appendingPathComponent("audit.key").path
  }

  static func file(_ path: String) -> AuditKeyFile { AuditKeyFile(Configuration([AuditKeyFile.setting: path])) }

  @Test
  func `the key is made at the first start, for its owner only, and stays`() throws {
    let path = try Self.path()
    let first = try Self.file(path).load(mayCreate: true)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try Self.file(path).load(mayCreate: false).id == first.id)
    let others = try FileManager.default.contentsOfDirectory(atPath: (path as NSString).deletingLastPathComponent)
    #expect(others == ["audit.key"])
  }

  @Test
  func `a lost key is not replaced while there are entries`() throws {
    let path = try Self.path()
    #expect(throws: ConfigurationError.self) { try Self.file(path).load(mayCreate: false) }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test(arguments: ["", "abc", String(repeating: "0", count: 63), String(repeating: "0", count: 66)])
  func `a file that holds no key is refused`(_ text: String) throws {
    let path = try Self.path()
    _ = FileManager.default.createFile(
      atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    #expect(throws: ConfigurationError.self) { try Self.file(path).load(mayCreate: true) }
  }

  @Test
  func `a key that others can read is refused`() throws {
    let path = try Self.path()
    _ = try Self.file(path).load(mayCreate: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    #expect(throws: ConfigurationError.self) { try Self.file(path).load(mayCreate: true) }
  }

  @Test
  func `a folder that is not there is said`() {
    #expect(throws: ConfigurationError.self) { try Self.file("/nonexistent/audit.key").load(mayCreate: true) }
  }
}
