// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Whether libmicrohttpd has more to do at once than to ask waiting requests for their answers.
final class Runs {
  /// There is something to write, or a connection went a step further that the next run takes on: a response that the last
  /// one queued is written, a connection whose response is written reads again.
  private var goesOn = false
  private var number: UInt64 = 0
  /// Bodies of which the last run took a piece, and not the end.
  private var unfinishedBodies = 0

  var isNextDue: Bool { goesOn || unfinishedBodies > 0 }

  func begin() {
    number += 1
    unfinishedBodies = 0
    goesOn = false
  }

  /// Another run is wanted at once.
  func goOn() { goesOn = true }

  /// A piece of the exchange's body came.
  func tookPiece(of exchange: Exchange) {
    guard exchange.lastPiece != number else { return }
    exchange.lastPiece = number
    unfinishedBodies += 1
  }

  /// The exchange's body ended.
  func bodyEnded(of exchange: Exchange) {
    guard exchange.lastPiece == number else { return }
    exchange.lastPiece = 0
    unfinishedBodies -= 1
  }
}
