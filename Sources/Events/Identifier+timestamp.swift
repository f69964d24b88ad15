// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Cryptography
public import JSONRPC

extension Identifier {
  /// A new identifier that sorts among others by `now`.
  public static func next(_ now: Timestamp) -> String { next(milliseconds: now.milliseconds) }
}
