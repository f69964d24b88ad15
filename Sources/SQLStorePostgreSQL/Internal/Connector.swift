// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import PostgreSQL
internal import SQLStore
internal import Threading

/// Makes connections, each on a thread of its own: looking a name up and shaking hands block, and neither for a time that
/// libpq bounds altogether. One that hangs holds up no other.
struct Connector {
  /// Taken by one thread at a time, the connector's and then the pool's: hence the unchecked Sendable.
  struct Handover: @unchecked Sendable { let connection: Connection }

  private let configuration: PostgreSQLConfiguration

  init(_ configuration: PostgreSQLConfiguration) { self.configuration = configuration }

  func connect(_ done: @escaping @Sendable (Result<Handover, PostgreSQLError>) -> Void) {
    let configuration = configuration
    startThread(named: "pg-connect") {
      done(
        Result { () throws(PostgreSQLError) in
          let connection = try configuration.connect()
          try connection.startPipeline()
          return Handover(connection: connection)
        })
    }
  }
}
