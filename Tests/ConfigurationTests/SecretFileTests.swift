// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

struct SecretFileTests {
  @Test(
    arguments: [
      // mode, owner, user, whether the file may hold secrets
      (0o100600, 10001, 10001, true), (0o100400, 10001, 10001, true), (0o100600, 0, 0, true),
      (0o100440, 0, 10001, true), (0o100640, 0, 10001, true),
      (0o100440, 10001, 10001, false), (0o100640, 0, 0, false), (0o100660, 0, 10001, false),
      (0o100444, 0, 10001, false), (0o100604, 10001, 10001, false), (0o100620, 0, 10001, false),
    ] as [(UInt32, UInt32, UInt32, Bool)])
  func `a file of secrets is its user's alone, or root's and given through the group`(
    _ mode: UInt32, _ owner: UInt32, _ user: UInt32, _ isPrivate: Bool
  ) {
    #expect(SecretFile.isPrivate(mode: mode, owner: owner, user: user) == isPrivate)
  }
}
