// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PostgreSQL
internal import SQLStore
internal import Threading

extension PoolLoop {
  /// Runs a step on a place's connection; when that fails the connection is lost.
  mutating func attempt(
    _ place: Place, _ step: (Place, Session) throws(PostgreSQLError) -> Void
  ) {
    guard let session = place.session else { return }
    do throws(PostgreSQLError) { try step(place, session) } catch { lose(place, error) }
  }

  mutating func flush(_ place: Place) {
    guard let session = place.session, session.hasUnsent else { return }
    attempt(place) { (_, session) throws(PostgreSQLError) in try session.flush() }
  }

  /// Sleeps until something arrives, can be sent, or is due.
  mutating func wait() {
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

  mutating func lose(_ place: Place, _ error: PostgreSQLError) {
    connectionProblem = error
    place.close()
    // What ended one has likely ended all, and those that nothing was sent on would find out one after the other.
    if error.endsAllSessions { for other in places where other.isFree { other.close() } }
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
      counters.countGroup(of: members.count)
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
