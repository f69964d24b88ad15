// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// The OpenRPC document of a set of methods.
public enum OpenRPC {
  public static func document(title: String, methods: [MethodDescriptor]) throws -> RawJSON { fatalError("pending") }
}
