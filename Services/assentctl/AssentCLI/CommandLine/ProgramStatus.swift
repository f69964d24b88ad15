// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// How the program ends.
enum ProgramStatus: Int32, Sendable, CaseIterable {
  /// The call gave its result.
  case done = 0
  /// The call was answered with an error, or something is not healthy.
  case refused = 1
  /// The command line cannot be understood.
  case usage = 2
  /// No answer: not reached, not available, or too late. May be tried again.
  case unavailable = 3
  /// The credential cannot be found or read.
  case credentials = 4

  var meaning: String {
    switch self {
    case .done: "done"
    case .refused: "the call was answered with an error, or a service is not serving"
    case .usage: "the command line cannot be understood"
    case .unavailable: "not reached, not available or too late: may be tried again"
    case .credentials: "the credential cannot be found or read"
    }
  }
}
