// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PostgreSQL
internal import SQLStore
internal import Threading

/// The pool's thread: hands waiting calls to free connections, sends, polls, takes results.
struct PoolLoop {
  /// Members of one group, writes or reads. More make each wait longer for the others and gain little.
  private static let most = 32

  private let configuration: PostgreSQLConfiguration
  private let orders: Mailbox<ConnectionPool.Order>
  private let counters: Lock<SQLStoreStatistics>
  private let connector: Connector
  private let texts: StatementTexts
  private let places: [Place]

  private var writes: [WriteJob] = []
  private var reads: [ReadJob] = []
  /// Of the writes that are being run.
  private var locked: Set<WriteJob.Lock> = []
  private var stopping: [@Sendable () -> Void] = []
  private var connectionProblem: PostgreSQLError?

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
  mutating func run(_ first: Connector.Handover, _ tables: Set<String>) -> [@Sendable () -> Void] {
    texts.dialect.tables = tables
    place(first.connection, at: places.count - 1)
    var queue: [ConnectionPool.Order] = []
    while true {
      queue.removeAll(keepingCapacity: true)
      orders.drain(into: &queue)
      for order in queue { take(order) }
      handOut()
      if !stopping.isEmpty, writes.isEmpty, reads.isEmpty, !places.contains(where: \.isBusy) { break }
      for place in places { flush(place) }
      wait()
    }
    connector.stop()
    for place in places { place.close() }
    return stopping
  }

  private mutating func take(_ order: ConnectionPool.Order) {
    switch order {
    case .write(let job): writes.append(job)
    case .read(let job): reads.append(job)
    case .connected(let index, .success(let handover)):
      connectionProblem = nil
      place(handover.connection, at: index)
    case .connected(let index, .failure(let error)):
      connectionProblem = error
      places[index].failed(at: ConnectionPool.now())
    case .tables(let tables): if texts.dialect.tables != tables { texts.dialect.tables = tables }
    case .stop(let done): stopping.append(done)
    }
  }

  private func place(_ connection: Connection, at index: Int) {
    places[index].connected(Session(connection, texts, prepares: configuration.prepares))
  }

  // MARK: Handing out

  private mutating func handOut() {
    guard !writes.isEmpty || !reads.isEmpty else { return }
    let now = ConnectionPool.now()
    expire(now)
    while !writes.isEmpty, let place = free(.writes, now) {
      let members = takeWrites()
      guard !members.isEmpty else { break }
      for member in members { locked.formUnion(member.locks) }
      place.write = WriteUnit(members)
      attempt(place) { (place, session) throws(PostgreSQLError) in try place.write!.start(session) }
    }
    while !reads.isEmpty, let place = free(.reads, now) {
      let members = takeReads()
      guard !members.isEmpty else { break }
      place.read = ReadUnit(members)
      attempt(place) { (place, session) throws(PostgreSQLError) in try place.read!.start(session) }
    }
  }

  /// A free connection; when there is none, another one is asked for.
  private func free(_ role: Place.Role, _ now: Int64) -> Place? {
    if let place = places.first(where: { $0.role == role && $0.isFree }) { return place }
    let waiting = places.contains { $0.role == role && $0.isConnecting }
    if !waiting, let index = places.firstIndex(where: { $0.role == role && $0.canConnect(at: now) }) {
      places[index].isConnecting = true
      let orders = orders
      connector.connect { orders.add(.connected(index, $0)) }
    }
    return nil
  }

  /// The next group: writes in their order, each of a row that no write in progress has, and their fair share.
  private mutating func takeWrites() -> [WriteJob] {
    let free = places.count { $0.role == .writes && $0.isFree }
    let share = min(Self.most, (writes.count + free - 1) / free)
    var members: [WriteJob] = []
    var mine: Set<WriteJob.Lock> = []
    var left: [WriteJob] = []
    var index = 0
    while index < writes.count, members.count < share {
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
    let share = min(Self.most, (reads.count + free - 1) / free)
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

  // MARK: The connections

  /// Runs a step on a place's connection; when that fails the connection is lost.
  private mutating func attempt(
    _ place: Place, _ step: (Place, Session) throws(PostgreSQLError) -> Void
  ) {
    guard let session = place.session else { return }
    do throws(PostgreSQLError) { try step(place, session) } catch { lose(place, error) }
  }

  private mutating func flush(_ place: Place) {
    guard let session = place.session, session.hasUnsent else { return }
    attempt(place) { (_, session) throws(PostgreSQLError) in try session.flush() }
  }

  /// Sleeps until something arrives, can be sent, or is due.
  private mutating func wait() {
    var polled: [pollfd] = [pollfd(fd: orders.descriptor, events: Int16(POLLIN), revents: 0)]
    var open: [Place] = []
    for place in places {
      guard let session = place.session else { continue }
      let events = session.hasUnsent ? POLLIN | POLLOUT : POLLIN
      polled.append(pollfd(fd: session.descriptor, events: Int16(events), revents: 0))
      open.append(place)
    }
    let isEmpty = orders.prepareToSleep()
    // Calls that wait for a connection are looked at now and then.
    let timeout: CInt = !isEmpty ? 0 : writes.isEmpty && reads.isEmpty ? -1 : 20
    poll(&polled, nfds_t(polled.count), timeout)
    orders.wakeUp(signalled: polled[0].revents != 0)
    for (entry, place) in zip(polled.dropFirst(), open) where entry.revents != 0 { receive(place) }
  }

  private mutating func receive(_ place: Place) {
    guard let session = place.session else { return }
    var failure: PostgreSQLError?
    do throws(PostgreSQLError) {
      try session.receive { slot, result in
        guard failure == nil else { return }
        do throws(PostgreSQLError) { try take(slot, result, place, session) } catch { failure = error }
      }
    } catch {
      failure = failure ?? error
    }
    if let failure { lose(place, failure) }
  }

  private mutating func take(
    _ slot: Session.Slot, _ result: QueryResult, _ place: Place, _ session: Session
  ) throws(PostgreSQLError) {
    if place.write != nil {
      if let outcome = try place.write!.take(slot, result, session) {
        let members = place.write!.members
        place.write = nil
        settle(outcome, of: members)
      }
    } else if place.read != nil {
      if let outcome = try place.read!.take(slot, result, session) {
        place.read = nil
        settle(outcome)
      }
    }
    if case .failed(let error) = result.status, error.isStalePlan { session.isStale = true }
    // What it has prepared does not fit any more.
    if session.isStale, place.isFree { place.close() }
  }

  private mutating func lose(_ place: Place, _ error: PostgreSQLError) {
    connectionProblem = error
    place.failed(at: ConnectionPool.now())
    if var unit = place.write {
      place.write = nil
      settle(unit.lost(error), of: unit.members)
    }
    if let unit = place.read {
      place.read = nil
      settle(unit.lost(error))
    }
  }

  private mutating func settle(_ outcome: WriteUnit.Outcome, of members: [WriteJob]) {
    for member in members { locked.subtract(member.locks) }
    let committed = outcome.committed
    counters.withLock { counters in
      if committed > 0 { counters.commits += 1 }
      counters.writes += committed
      counters.rollbacks += outcome.refused
      counters.largestGroup = max(counters.largestGroup, members.count)
    }
    // Before those that came later.
    if !outcome.again.isEmpty { writes.insert(contentsOf: outcome.again, at: 0) }
    for member in outcome.finished { member.finish() }
  }

  private mutating func settle(_ outcome: ReadUnit.Outcome) {
    counters.withLock { counters in
      counters.reads += outcome.done.count + outcome.failed.count
      counters.snapshots += 1
    }
    if !outcome.again.isEmpty { reads.insert(contentsOf: outcome.again, at: 0) }
    for (job, error) in outcome.failed { job.fail(error) }
    for job in outcome.done { job.finish() }
  }
}
