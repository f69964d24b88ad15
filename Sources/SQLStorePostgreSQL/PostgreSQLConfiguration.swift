// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PostgreSQL
internal import SQLStore

/// Where a store in PostgreSQL is: a `postgresql://` URL as libpq takes it, and in its query what is Assent's own:
/// `schema`, `connections` (2 to 64), `prepared` (`on`, or `off` for a pooler between that keeps no session).
public struct PostgreSQLConfiguration: Sendable {
  public let schema: String
  let connections: Int
  let prepares: Bool
  private var parameters: ConnectionParameters
  /// Whether the settings below go with each connection.
  private var hasOptions = false

  /// A write that waits this long for a lock gives up, and is tried again.
  private static let lockTimeoutMilliseconds = 1_000
  /// A replica that stops in the middle of a transaction loses it, and with it its locks, after this long.
  private static let idleTransactionMilliseconds = 2_000

  /// - Parameters:
  ///   - schema: where the URL names none.
  ///   - password: where the URL has none, which is better: a URL is easily shown.
  /// - Throws: `SQLStoreError` naming the parameter that cannot be used; never the URL, which may hold a password.
  public init(url: String, schema: String = "assent", password: String? = nil) throws {
    let (plain, own) = try Self.split(url)
    do throws(PostgreSQLError) {
      parameters = try ConnectionParameters(url: plain)
    } catch {
      throw SQLStoreError(.failed, error.message)
    }
    self.schema = own["schema"] ?? schema
    guard (1...63).contains(self.schema.utf8.count) else {
      throw SQLStoreError(.failed, "schema in the store's URL must be 1 to 63 bytes")
    }
    guard let connections = Int(own["connections"] ?? "4"), (2...64).contains(connections) else {
      throw SQLStoreError(.failed, "connections in the store's URL must be a whole number from 2 to 64")
    }
    self.connections = connections
    switch own["prepared"] ?? "on" {
    case "on": prepares = true
    case "off": prepares = false
    default: throw SQLStoreError(.failed, "prepared in the store's URL must be on or off")
    }
    if let password, parameters["password"] == nil { parameters["password"] = password }
    complete()
  }

  /// What is set unless the URL says otherwise.
  private mutating func complete() {
    for (keyword, value) in [
      ("connect_timeout", "5"), ("tcp_user_timeout", "2000"), ("keepalives_idle", "5"), ("keepalives_interval", "2"),
      ("keepalives_count", "2"), ("application_name", "assent-\(schema)"),
    ] where parameters[keyword] == nil {
      parameters[keyword] = value
    }
    // As part of the connection's start; a pooler that keeps no session would not pass them on.
    if prepares, parameters["options"] == nil {
      hasOptions = true
      parameters["options"] =
        "-c synchronous_commit=on -c lock_timeout=\(Self.lockTimeoutMilliseconds)"
        + " -c idle_in_transaction_session_timeout=\(Self.idleTransactionMilliseconds)"
        // Every statement finds its rows by an index. A plan that was made while a table was small must not go on reading
        // all of it when it has grown.
        + " -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off"
    }
    parameters["client_encoding"] = "UTF8"
  }

  /// A session whose settings are the store's guarantees.
  func connect() throws(PostgreSQLError) -> Connection {
    let connection = try Connection(parameters)
    let settings = try connection.execute(
      """
      SELECT current_setting('synchronous_commit'), current_setting('fsync'), current_setting('lock_timeout'),
        current_setting('idle_in_transaction_session_timeout'), current_setting('transaction_read_only'),
        current_setting('enable_seqscan')
      """)[0].map { $0 ?? "" }
    func refuse(_ text: String) -> PostgreSQLError { PostgreSQLError(sqlState: "55000", message: text) }
    guard ["on", "remote_apply"].contains(settings[0]), settings[1] == "on" else {
      throw refuse(
        "synchronous_commit is \(settings[0]) and fsync \(settings[1]): both must be on, or what is acknowledged can be lost"
      )
    }
    guard settings[2] != "0", settings[3] != "0" else {
      throw refuse(
        "lock_timeout and idle_in_transaction_session_timeout must be set; behind a pooler, by ALTER ROLE … SET "
          + "lock_timeout = '1s' and idle_in_transaction_session_timeout = '2s'")
    }
    guard !hasOptions || settings[5] == "off" else {
      throw refuse(
        "the session lacks the settings that go with the connection: a pooler between, which gives each transaction "
          + "another session, needs prepared=off in the store's URL")
    }
    guard settings[4] == "off" else {
      throw PostgreSQLError(sqlState: "57P03", message: "the server takes no writes: a standby, or set read-only")
    }
    return connection
  }

  /// libpq's part of a URL, and the parameters that are ours.
  private static func split(_ url: String) throws -> (plain: String, own: [String: String]) {
    guard let mark = url.firstIndex(of: "?") else { return (url, [:]) }
    var own: [String: String] = [:]
    let rest = url[url.index(after: mark)...].split(separator: "&").filter { pair in
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard let name = parts.first, ["schema", "connections", "prepared"].contains(name) else { return true }
      own[String(name)] = parts.count > 1 ? String(parts[1]) : ""
      return false
    }
    return (url[..<mark] + (rest.isEmpty ? "" : "?" + rest.joined(separator: "&")), own)
  }
}
