// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SQLStorePostgreSQL

/// When a group of writes begins beside another.
@Suite struct GatheringTests {
  @Test(arguments: [
    (1, 0, false, true), (63, 49, false, true), (64, 0, false, false), (1, 50, false, false),
    (1, 0, true, true), (23, 49, true, true), (24, 0, true, false), (1, 50, true, false),
  ])
  func writesGatherUntilTheyAreManyOrTheOthersTakeLong(
    _ waiting: Int, _ milliseconds: Int64, _ isCommitting: Bool, _ goesOn: Bool
  ) {
    #expect(Gathering.goesOn(with: waiting, beside: milliseconds, isCommitting: isCommitting) == goesOn)
  }
}
