// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC

/// A service as calls are sent to it. The places that its replicas have for this gateway's calls are shared: each caller,
/// and each address, may hold as many of them as are free. One alone gets half of them, two get a third each, and some are
/// free always, for the next caller and for the gateway's own questions.
///
/// Source: see `FairShare`, by which servers tell connections apart; behind the gateway all callers come by one.
struct Upstream {
  /// How many services a `Usage` counts for.
  static let most = 8

  let transport: any ClientTransport
  /// Which of a usage's counters is of this service.
  let index: Int

  /// - Parameter services: transports by name, at most `most`.
  static func all(_ services: [String: any ClientTransport]) -> [String: Upstream] {
    precondition(services.count <= most)
    return Dictionary(
      uniqueKeysWithValues: services.sorted { $0.key < $1.key }.enumerated().map { index, service in
        (service.key, Upstream(transport: service.value, index: index))
      })
  }

  /// Why a call may not be sent now. Where there is no room for anybody the transport says so.
  func refusal(caller: Usage, address: Usage) -> RPCError? {
    guard let free = transport.room, free > 0 else { return nil }
    if !caller.mayHold(index, free: free) { return Upstream.error("caller") }
    if !address.mayHold(index, free: free) { return Upstream.error("address") }
    return nil
  }

  /// - Parameter whose: `caller` or `address`: the first word of the reason.
  private static func error(_ whose: String) -> RPCError {
    .resourceExhausted(
      "this \(whose) has as many calls running at this service as others leave room for", reason: "\(whose)Share",
      retryAfterMs: 100)
  }
}
