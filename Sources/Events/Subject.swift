// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import RPC

/// Whom or what a write is about: the unit of order, of idempotency and of deletion.
public struct Subject: Sendable, Hashable, Codable, Comparable {
  /// The tenant.
  public let app: String
  /// `a:<accountId>`, `d:<deviceId>` or, for things of the app itself, `x:<topic>`.
  public let id: String

  public init(app: String, id: String) {
    self.app = app
    self.id = id
  }

  public static func account(_ app: String, _ accountId: String) -> Subject { Subject(app: app, id: "a:" + accountId) }
  public static func device(_ app: String, _ deviceId: String) -> Subject { Subject(app: app, id: "d:" + deviceId) }
  /// Such as `policy`, `catalog`, `keys` or `app`.
  public static func topic(_ app: String, _ topic: String) -> Subject { Subject(app: app, id: "x:" + topic) }

  public var accountId: String? { name(of: UInt8(ascii: "a")) }
  public var deviceId: String? { name(of: UInt8(ascii: "d")) }
  public var topic: String? { name(of: UInt8(ascii: "x")) }

  public var isAccount: Bool { isA(UInt8(ascii: "a")) }

  /// The order in which a write that concerns several takes their heads, so that two writes never wait for each other.
  public static func < (a: Subject, b: Subject) -> Bool { (a.app, a.id) < (b.app, b.id) }

  /// Its key in the store's `WriteStamps`. Not `Hasher`'s, since it is made several times with every check. Two subjects
  /// may have the same.
  public var stampKey: UInt64 {
    var (app, id) = (app, id)
    let start = app.withUTF8 { WordHash.of(UnsafeRawBufferPointer($0)) }
    return id.withUTF8 { WordHash.of(UnsafeRawBufferPointer($0), after: start) }
  }

  private func isA(_ kind: UInt8) -> Bool {
    var bytes = id.utf8.makeIterator()
    return bytes.next() == kind && bytes.next() == UInt8(ascii: ":")
  }

  private func name(of kind: UInt8) -> String? { isA(kind) ? String(id.utf8.dropFirst(2)) : nil }
}
