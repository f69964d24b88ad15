// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Events
internal import Glibc
public import PostgreSQL
public import RPC
public import SQLStore
internal import Threading

/// A fresh store, closed and removed with this object.
public final class TestStore: Sendable {
  public let backend: StoreBackend
  /// Its files are here, and nothing else; its name is that of a schema.
  public let folder: String
  private let opened: Lock<any SQLStore>

  /// - Parameter migrations: applied after those of `Ledger`, as a host does.
  public init(_ backend: StoreBackend = .chosen, migrations: [Migration] = []) throws {
    self.backend = backend
    var template = Array("/tmp/assent-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw SQLStoreError(.unavailable, "no temporary folder", code: Int(errno))
    }
    folder = String(cString: made)
    let store = try backend.open(folder)
    opened = Lock(store)
    try store.migrate(Ledger.migrations + migrations)
  }

  deinit {
    store.close()
    if let entries = opendir(folder) {
      while let entry = readdir(entries) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        unlink(folder + "/" + name)
      }
      closedir(entries)
    }
    rmdir(folder)
    backend.remove(folder)
  }

  public var store: any SQLStore { opened.withLock { $0 } }

  /// Closes the store and opens it again, as a restart does.
  @discardableResult
  public func reopen() throws -> any SQLStore {
    store.close()
    let again = try backend.open(folder)
    opened.withLock { $0 = again }
    return again
  }

  /// Another store on the same data, as another replica has it. Only where the engine takes several.
  public func replica() throws -> any SQLStore { try backend.open(folder) }

  /// A connection beside the store's, to look at its tables or to be in its way. Only where the engine is a server.
  public func connect() throws -> Connection {
    let connection = try PostgreSQLCluster.shared().connect()
    try connection.execute("SET search_path = \"\(StoreBackend.schema(folder))\"")
    return connection
  }

  /// A service's ledger on this store.
  public func ledger(
    source: String = "test-service", subscribers: [String] = ["audit-service"], clock: any WallClock = SystemClock()
  ) async throws -> Ledger {
    try await Ledger(store: store, source: source, subscribers: subscribers, clock: clock)
  }
}
