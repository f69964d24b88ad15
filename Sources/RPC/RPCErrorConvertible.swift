// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// An error of a lower layer that knows what a caller is to be told of it. A handler may let it through: the dispatcher
/// reports it as a fault and answers with `rpcError` in place of INTERNAL.
public protocol RPCErrorConvertible: Error {
  var rpcError: RPCError { get }
}
