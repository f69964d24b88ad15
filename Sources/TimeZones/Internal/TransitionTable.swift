// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A time during which clocks keep one offset: from `start`, included, to `end`, excluded; nil is without limit.
struct Span: Sendable, Hashable {
  var start: Int64?
  var end: Int64?
  /// Seconds to add to UTC.
  var offset: Int

  func contains(_ moment: Int64) -> Bool {
    if let start, moment < start { return false }
    if let end, moment >= end { return false }
    return true
  }
}

/// A moment from which clocks have another offset.
struct Transition: Sendable, Hashable {
  var at: Int64
  var offset: Int
}

/// The changes of a zone's offset: those that are written out, and a rule for all that come later.
struct TransitionTable: Sendable, Hashable {
  /// In ascending order.
  var transitions: [Transition]
  /// The offset before the first of them.
  var first: Int
  /// In force from the last transition on; nil: its offset stays.
  var rule: POSIXRule?

  func span(at moment: Int64) -> Span {
    // The number of transitions at or before the moment.
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].at <= moment { low = middle + 1 } else { high = middle }
    }
    if low < transitions.count || rule == nil {
      return Span(
        start: low == 0 ? nil : transitions[low - 1].at, end: low == transitions.count ? nil : transitions[low].at,
        offset: low == 0 ? first : transitions[low - 1].offset)
    }
    var span = rule!.span(at: moment)
    // The rule holds from the last transition on, whatever it would say of earlier times.
    if let last = transitions.last?.at { span.start = max(span.start ?? last, last) }
    return span
  }
}
