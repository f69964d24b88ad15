// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC
public import RPC
public import SQLStore

extension RPCError {
  /// What a caller is told of a store's failure. The store's message stays in the log.
  public init(_ error: SQLStoreError) {
    switch error.kind {
    case .unavailable:
      self = .unavailable("the store is not available", reason: "storeUnavailable", retryAfterMs: 500)
    case .outcomeUnknown:
      self = .unavailable(
        "the store failed while it committed; whether this was done is not known", reason: "storeOutcomeUnknown",
        processed: .unknown)
    case .conflict: self = .aborted("another write was in the way", reason: "writeConflict")
    case .failed: self = .internalError("the store refused the operation", processed: .no)
    }
  }
}

extension SQLStoreError: RPCErrorConvertible {
  public var rpcError: RPCError { RPCError(self) }
}
