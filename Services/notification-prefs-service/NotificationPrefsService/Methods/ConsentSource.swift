// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import ServiceKit
internal import SettingsContracts

/// Asks consent-service, in this service's own name: who may ask for a decision need not be one who may ask for consents.
/// Where it cannot be asked the answer is UNAVAILABLE: what needs consent is never sent on a guess.
struct ConsentSource: Sendable {
  let peers: Peers

  static let unavailable = RPCError.unavailable(
    "consent-service could not say whether this is allowed", reason: "consentUnavailable", retryAfterMs: 500)

  /// The catalog names a category that consent-service does not have: nobody can agree to it, and asking again will not
  /// help before one of the two is published anew.
  static func unknown(_ category: String) -> RPCError {
    .failedPrecondition(
      "category: it needs the consent category \(category), which consent-service does not have",
      reason: "unknownConsentCategory", field: "category")
  }

  /// The categories of the app's consents, or nil while consent-service cannot be asked.
  func categories(_ context: CallContext) async -> [String]? {
    let deadline = Deadline.after(milliseconds: context.deadline.remainingMilliseconds / 2)
    let catalog = try? await peers.call(
      ConsentMethods.catalog, ConsentCatalogParams(), app: context.app, deadline: deadline,
      requestId: context.requestId)
    return catalog?.categories.map(\.id)
  }

  /// - Returns: for each check whether it is allowed, or why that is not known.
  func check(
    _ checks: [ConsentCheckParams], _ context: CallContext
  ) async -> [ConsentCheckParams: Result<Bool, RPCError>] {
    let distinct = Array(Set(checks))
    // Less than all the time there is, so that the caller hears why there is no answer and not just that time is up.
    let deadline = Deadline.after(milliseconds: context.deadline.remainingMilliseconds * 2 / 3)
    do {
      if distinct.count == 1 {
        let result = try await peers.call(
          ConsentMethods.check, distinct[0], app: context.app, deadline: deadline, requestId: context.requestId)
        return [distinct[0]: .success(result.allowed)]
      }
      let results = try await peers.call(
        ConsentMethods.checkMany, ConsentCheckManyParams(checks: distinct), app: context.app,
        deadline: deadline, requestId: context.requestId
      ).results
      guard results.count == distinct.count else { return [:] }
      return Dictionary(
        uniqueKeysWithValues: zip(distinct, results).map { check, result in
          if let allowed = result.allowed { return (check, .success(allowed)) }
          let isUnknown =
            result.error?.code == ErrorCode.invalidParams.rawValue && result.error?.data.field == "category"
          return (check, .failure(isUnknown ? Self.unknown(check.category) : Self.unavailable))
        })
    } catch let error as RPCError where error.code == .invalidParams && error.field == "category" {
      return [distinct[0]: .failure(Self.unknown(distinct[0].category))]
    } catch {
      return [:]
    }
  }
}
