// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import SettingsContracts

/// `consent.check` and `consent.checkMany`: the hot path. Answered from memory while that is known to be what the store
/// holds, else from one row read in place: no answer is older than the last acknowledged write.
struct Checks: Sendable {
  let records: RecordStore
  let clock: any WallClock

  static let mostChecks = 1000

  func register(on router: inout MethodRouter) {
    router.on(ConsentMethods.check) { params, context in
      try known(params, context)
    } else: { params, context in
      try await check(params, context)
    }
    router.on(ConsentMethods.checkMany) { params, context in try await checkMany(params, context) }
  }

  /// Nil when the store must be asked, or told of a signal.
  private func known(_ params: ConsentCheckParams, _ context: CallContext) throws(RPCError) -> ConsentCheckResult? {
    if context.gpc { return nil }
    let addressee = try Addressee(context, accountId: params.accountId, deviceId: params.deviceId)
    guard let known = records.known(addressee) else { return nil }
    return try answer(params.category, addressee, known, context, at: clock.now())
  }

  private func check(_ params: ConsentCheckParams, _ context: CallContext) async throws -> ConsentCheckResult {
    let addressee = try Addressee(context, accountId: params.accountId, deviceId: params.deviceId)
    let now = clock.now()
    var known = try await records.read(addressee)
    if context.gpc { known = try await records.keepingSignal(addressee, context, known, at: now) }
    return try answer(params.category, addressee, known, context, at: now)
  }

  private func checkMany(
    _ params: ConsentCheckManyParams, _ context: CallContext
  ) async throws -> ConsentCheckManyResult {
    guard params.checks.count <= Self.mostChecks else {
      throw RPCError.invalidParams("checks", "\(params.checks.count) checks; at most \(Self.mostChecks) are allowed")
    }
    // Each subject is read once, all of them in one snapshot.
    var places: [Addressee: Int] = [:]
    var distinct: [Addressee] = []
    var asked: [Result<Int, RPCError>] = []
    for check in params.checks {
      do throws(RPCError) {
        let addressee = try Addressee(context, accountId: check.accountId, deviceId: check.deviceId)
        let place = places[addressee] ?? distinct.count
        if place == distinct.count {
          places[addressee] = place
          distinct.append(addressee)
        }
        asked.append(.success(place))
      } catch {
        asked.append(.failure(error))
      }
    }
    let (views, policy) =
      distinct.isEmpty ? ([], try await records.policy(context.app)) : try await records.read(distinct)
    var known = views.map { KnownSubject($0, policy, records.regulations) }
    let now = clock.now()
    if context.gpc {
      for (place, addressee) in distinct.enumerated() {
        known[place] = try await records.keepingSignal(addressee, context, known[place], at: now)
      }
    }
    var results: [ConsentCheckManyResult.Item] = []
    results.reserveCapacity(params.checks.count)
    for (check, place) in zip(params.checks, asked) {
      do throws(RPCError) {
        let place = try place.get()
        results.append(.init(try answer(check.category, distinct[place], known[place], context, at: now)))
      } catch {
        results.append(.init(error: .init(error)))
      }
    }
    return ConsentCheckManyResult(results: results)
  }

  private func answer(
    _ category: String, _ addressee: Addressee, _ known: KnownSubject, _ context: CallContext, at now: Timestamp
  ) throws(RPCError) -> ConsentCheckResult {
    let (view, policy) = (known.view, known.policy)
    guard let index = policy.live.categories.firstIndex(where: { $0.id == category }) else {
      // What an earlier version asked about is not processed any more.
      if policy.isKnown(category) { return ConsentCheckResult(allowed: false, reason: .notApplicable) }
      throw CategoryName.unknown(category, "category", known: policy.live.categories.map(\.id))
    }
    guard !view.isDeleted else { return ConsentCheckResult(allowed: false, reason: .notApplicable) }
    let evaluator = Evaluator(
      record: view.record, policy: policy, signals: view.signals(addressee, requestGPC: context.gpc, at: now),
      situation: known.situation)
    let (verdict, reviewAt) = evaluator.check(index, at: now)
    return ConsentCheckResult(allowed: verdict.allowed, reason: verdict.reason, reviewAt: reviewAt)
  }
}
