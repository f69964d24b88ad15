// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// When the next group of writes may begin while another is under way. Pure.
///
/// Few large groups cost both sides less than many small ones, so the next gathers. But once the COMMIT of the one under
/// way is sent, what is left of it is the server's, mostly its log's way to the disk: a next one that is large enough
/// begins meanwhile.
enum Gathering {
  /// Members of one group, writes or reads. More make each wait longer for the others and gain little.
  static let most = 64
  /// Fewer, beside one that commits, cost more than the wait.
  static let enough = 24
  /// A group that takes longer is not waited for: it may be waiting itself, for a row that another replica holds.
  static let longGroupMilliseconds: Int64 = 50

  /// Whether writes go on gathering.
  /// - Parameters:
  ///   - waiting: how many there are.
  ///   - milliseconds: how long the group under way has taken.
  ///   - isCommitting: its COMMIT is sent.
  static func goesOn(with waiting: Int, beside milliseconds: Int64, isCommitting: Bool) -> Bool {
    waiting < (isCommitting ? enough : most) && milliseconds < longGroupMilliseconds
  }
}
