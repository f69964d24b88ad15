// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import PostgreSQL
internal import SQLStore
internal import Threading

/// Makes connections on a thread of its own: looking names up and shaking hands block.
final class Connector: Sendable {
  /// Taken by one thread at a time, the connector's and then the pool's: hence the unchecked Sendable.
  struct Handover: @unchecked Sendable { let connection: Connection }

  private let orders = Mailbox<(@Sendable () -> Void)?>(blocking: true)
  private let configuration: PostgreSQLConfiguration

  init(_ configuration: PostgreSQLConfiguration) {
    self.configuration = configuration
    let orders = orders
    startThread(named: "pg-connect") {
      var queue: [(@Sendable () -> Void)?] = []
      while true {
        orders.take(into: &queue)
        for order in queue {
          guard let order else { return }
          order()
        }
        queue.removeAll(keepingCapacity: true)
      }
    }
  }

  func connect(_ done: @escaping @Sendable (Result<Handover, PostgreSQLError>) -> Void) {
    let configuration = configuration
    orders.add {
      done(
        Result { () throws(PostgreSQLError) in
          let connection = try configuration.connect()
          try connection.startPipeline()
          return Handover(connection: connection)
        })
    }
  }

  func stop() { orders.add(nil) }
}
