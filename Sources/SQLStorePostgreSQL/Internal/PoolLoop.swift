// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PostgreSQL
internal import SQLStore
internal import Threading

/// The pool's thread: hands waiting calls to free connections, sends, polls, takes results.
struct PoolLoop {
  private let configuration: PostgreSQLConfiguration
  let orders: Mailbox<ConnectionPool.Order>
  let counters: Lock<SQLStoreStatistics>
  private let connector: Connector
  private let texts: StatementTexts
  let places: [Place]
  private var dialing: [Place.Role: Dialing] = [.reads: Dialing(), .writes: Dialing()]

  var writes: [WriteJob] = []
  var reads: [ReadJob] = []
  /// Of the writes that are being run.
  var locked: Set<WriteJob.Lock> = []
  private var stopping: [@Sendable () -> Void] = []
  private var notedWaiting = 0
  var connectionProblem: PostgreSQLError?

  init(
    _ configuration: PostgreSQLConfiguration, _ orders: Mailbox<ConnectionPool.Order>,
    _ counters: Lock<SQLStoreStatistics>
  ) {
    self.configuration = configuration
    self.orders = orders
    self.counters = counters
    connector = Connector(configuration)
    texts = StatementTexts(PostgreSQLDialect(schema: configuration.schema))
    let readers = max(1, configuration.connections / 3)
    places = (0..<configuration.connections).map { Place($0 < readers ? .reads : .writes) }
  }

  /// Works until told to stop.
  /// - Returns: whom to tell that it has.
  mutating func run(_ tables: Set<String>) -> [@Sendable () -> Void] {
    texts.dialect.tables = tables
    var queue: [ConnectionPool.Order] = []
    while true {
      orders.drain(into: &queue)
      for order in queue { take(order) }
      queue.removeAll(keepingCapacity: true)
      handOut()
      noteWaiting()
      if !stopping.isEmpty, writes.isEmpty, reads.isEmpty, !places.contains(where: \.isBusy) { break }
      for place in places { flush(place) }
      wait()
    }
    for place in places { place.close() }
    return stopping
  }

  private mutating func noteWaiting() {
    guard writes.count != notedWaiting else { return }
    notedWaiting = writes.count
    counters.withLock { $0.waiting = notedWaiting }
  }

  private mutating func take(_ order: ConnectionPool.Order) {
    switch order {
    case .write(let job): writes.append(job)
    case .read(let job): reads.append(job)
    case .first(let handover): place(handover.connection, .writes)
    case .connected(let role, let number, .success(let handover)):
      connectionProblem = nil
      dialing[role]!.succeeded(number)
      place(handover.connection, role)
    case .connected(let role, let number, .failure(let error)):
      connectionProblem = error
      dialing[role]!.failed(number, at: ConnectionPool.now())
    case .tables(let tables): if texts.dialect.tables != tables { texts.dialect.tables = tables }
    case .stop(let done): stopping.append(done)
    }
  }

  /// Into a place that has none; with none left, a try that was given up on came late, and the connection goes.
  private func place(_ connection: Connection, _ role: Place.Role) {
    let place = places.first { $0.role == role && $0.session == nil }
    place?.connected(Session(connection, texts, prepares: configuration.prepares))
  }

  private mutating func handOut() {
    guard !writes.isEmpty || !reads.isEmpty else { return }
    let now = ConnectionPool.now()
    expire(now)
    while isTimeForWrites(now), let place = free(.writes, now) {
      let members = takeWrites()
      guard !members.isEmpty else { break }
      for member in members { locked.formUnion(member.locks) }
      place.write = WriteUnit(members, at: now)
      attempt(place) { (place, session) throws(PostgreSQLError) in try place.write!.start(session) }
    }
    while !reads.isEmpty, let place = free(.reads, now) {
      let members = takeReads()
      guard !members.isEmpty else { break }
      place.read = ReadUnit(members)
      attempt(place) { (place, session) throws(PostgreSQLError) in try place.read!.start(session) }
    }
  }

  /// Not as long as writes gather beside a group that is under way.
  private func isTimeForWrites(_ now: Int64) -> Bool {
    guard let first = writes.first else { return false }
    return first.isAlone
      || !places.contains { place in
        guard let group = place.write, group.isShared else { return false }
        return Gathering.goesOn(
          with: writes.count, beside: now - group.began, isCommitting: group.isCommitting)
      }
  }

  /// A free connection; when there is none, another one is asked for.
  private mutating func free(_ role: Place.Role, _ now: Int64) -> Place? {
    if let place = places.first(where: { $0.role == role && $0.isFree }) { return place }
    if places.contains(where: { $0.role == role && $0.session == nil }), let number = dialing[role]!.begin(at: now) {
      let orders = orders
      connector.connect { orders.add(.connected(role, number, $0)) }
    }
    return nil
  }

  /// The next group: writes in their order, each of a row that no write in progress has.
  private mutating func takeWrites() -> [WriteJob] {
    var members: [WriteJob] = []
    var mine: Set<WriteJob.Lock> = []
    var left: [WriteJob] = []
    var index = 0
    while index < writes.count, members.count < Gathering.most {
      let job = writes[index]
      index += 1
      let isBlocked = job.locks.contains { locked.contains($0) || mine.contains($0) }
      // Those behind it that want the same row stay behind it.
      for lock in job.locks { mine.insert(lock) }
      if isBlocked || (job.isAlone && !members.isEmpty) {
        left.append(job)
        continue
      }
      members.append(job)
      if job.isAlone { break }
    }
    writes.replaceSubrange(..<index, with: left)
    // In one order everywhere, so that groups of several replicas wait for one another, never in a circle.
    if members.count > 1 { members.sort { $0.locks[0] < $1.locks[0] } }
    return members
  }

  private mutating func takeReads() -> [ReadJob] {
    let free = places.count { $0.role == .reads && $0.isFree }
    let share = min(Gathering.most, (reads.count + free - 1) / free)
    var members: [ReadJob] = []
    var index = 0
    while index < reads.count, members.count < share {
      let job = reads[index]
      if job.isAlone, !members.isEmpty { break }
      index += 1
      if job.statements.count == 1, !texts.entry(job.statements[0].sql).isReadOnly {
        job.fail(SQLStoreError(.failed, "a read with a statement that writes"))
        continue
      }
      members.append(job)
      if job.isAlone { break }
    }
    reads.removeFirst(index)
    return members
  }

  /// Those that have waited too long for a connection or a turn.
  private mutating func expire(_ now: Int64) {
    func late() -> SQLStoreError {
      SQLStoreError(
        .unavailable, connectionProblem.map { "no connection: \($0.description)" } ?? "no connection was free in time")
    }
    writes.removeAll { job in
      guard job.expires <= now else { return false }
      job.fail(late())
      job.finish()
      return true
    }
    reads.removeAll { job in
      guard job.expires <= now else { return false }
      job.fail(late())
      return true
    }
  }
}
