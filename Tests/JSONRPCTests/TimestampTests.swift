// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

import JSONRPC

@Suite struct TimestampTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00.000Z", 0), ("2026-01-02T03:04:05.678Z", 1_767_323_045_678),
    ("2000-02-29T23:59:59.999Z", 951_868_799_999), ("1969-12-31T23:59:59.999Z", -1),
    ("0000-01-01T00:00:00.000Z", -62_167_219_200_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ("1900-03-01T00:00:00.000Z", -2_203_891_200_000),
  ])
  func textAndMillisecondsAgree(text: String, milliseconds: Int64) {
    #expect(Timestamp(text)?.milliseconds == milliseconds)
    #expect(Timestamp(milliseconds: milliseconds).description == text)
  }

  @Test(arguments: [
    ("2026-01-02T03:04:05Z", 1_767_323_045_000), ("2026-01-02T03:04:05.6Z", 1_767_323_045_600),
    ("2026-01-02T03:04:05.678999999Z", 1_767_323_045_678), ("2026-01-02T03:04:05.678+00:00", 1_767_323_045_678),
  ])
  func otherSpellingsOfUTCAreRead(text: String, milliseconds: Int64) throws {
    #expect(Timestamp(text)?.milliseconds == milliseconds)
    #expect(try JSON.decode(Timestamp.self, from: "\"\(text)\"").milliseconds == milliseconds)
  }

  @Test(arguments: [
    "", "2026", "2026-01-02", "2026-01-02T03:04Z", "2026-01-02T03:04:05", "2026-01-02T03:04:05.Z",
    "2026-01-02T03:04:05.1234567890Z", "2026-01-02T03:04:05+02:00", "2026-01-02t03:04:05Z", "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
    "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z",
    "2026-01-02T03:04:05.678Z ", "+2026-01-02T03:04:05Z", "２026-01-02T03:04:05Z",
  ])
  func anythingElseIsNoTime(text: String) {
    #expect(Timestamp(text) == nil)
  }

  @Test func everyDayOfFourCenturiesComesBack() {
    for day in stride(from: -80_000 as Int64, through: 80_000, by: 1) {
      let timestamp = Timestamp(milliseconds: day * 86_400_000 + 12_345)
      #expect(Timestamp(timestamp.description) == timestamp)
    }
  }

  @Test func momentsOutsideTheCalendarAreShownAsTheNearest() {
    #expect(Timestamp(milliseconds: .max).description == "9999-12-31T23:59:59.999Z")
    #expect(Timestamp(milliseconds: .min).description == "0000-01-01T00:00:00.000Z")
  }
}
