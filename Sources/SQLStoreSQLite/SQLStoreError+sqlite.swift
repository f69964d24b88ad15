// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SQLStore
internal import SQLite

extension SQLStoreError {
  /// What a failed statement means to the writer or reader whose statement it was. A failed COMMIT is judged where it
  /// happens.
  init(_ error: SQLiteError) {
    let kind: Kind =
      if error.isFull || error.isBusy || error.isInputOutput || error.isOutOfMemory || error.isCannotOpen {
        .unavailable
      } else {
        .failed
      }
    self.init(kind, error.message, code: Int(error.code))
  }
}
