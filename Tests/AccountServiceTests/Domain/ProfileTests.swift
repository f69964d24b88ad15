// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import AccountService

@Suite("Profile")
struct ProfileTests {
  @Test(
    "has a time zone that this machine knows",
    arguments: ["UTC", "Europe/Stockholm", "America/Argentina/Ushuaia", "Etc/GMT+3"])
  func zone(name: String) throws { #expect(try Profile.checkedTimeZone(name) == name) }

  @Test(
    "is refused with another time zone",
    arguments: [
      "", "europe/stockholm", "Mars/Olympus", "../../../etc/passwd", "/etc/localtime", "posix/UTC", "right/UTC",
      "zone.tab", "tzdata.zi", "Europe", "Europe/", "UTC\u{0}", "+02:00", "GMT+25",
    ])
  func badZone(name: String) {
    let error = #expect(throws: RPCError.self) { try Profile.checkedTimeZone(name) }
    #expect(error?.message == "timeZone: must be a zone of the IANA time zone database, such as Europe/Berlin")
  }

  @Test("names what differs")
  func differences() {
    let before = Profile(
      accountId: "maya", name: "Maya", email: "m@example.com", plan: nil, locale: "en", timeZone: "UTC",
      createdAt: Timestamp(milliseconds: 0))
    var after = before
    #expect(after.differences(from: before) == [])
    after.name = "Maja"
    after.plan = "Plus"
    after.appearance = .dark
    #expect(after.differences(from: before) == ["name", "plan", "appearance"])
  }
}

@Suite("Credential text")
struct CredentialTextTests {
  @Test("names its app and differs each time")
  func text() {
    let key = CredentialText.publishableKey(app: "brand-2")
    #expect(CredentialText.app(ofPublishableKey: key) == "brand-2")
    #expect(key != CredentialText.publishableKey(app: "brand-2"))
    let secret = CredentialText.serviceKey(app: "brand-2")
    #expect(secret.hasPrefix("assent_sk.brand-2.") && secret.utf8.count == 18 + 43)
    #expect(CredentialText.app(ofPublishableKey: secret) == nil)
  }

  @Test(
    "of another form names none",
    arguments: ["", "assent_pk", "assent_pk..x", "assent_pk.A.x", "assent_pk.a", "assent_pk.a.b.c"])
  func malformed(text: String) { #expect(CredentialText.app(ofPublishableKey: text) == nil) }

  @Test(
    "apps have plain names",
    arguments: [
      ("default", true), ("a", true), ("brand-2", true), ("0", true), ("", false), ("-a", false), ("A", false),
      ("a.b", false), ("a:b", false), ("ä", false), (String(repeating: "a", count: 33), false),
    ])
  func apps(name: String, isValid: Bool) { #expect(AppID.isValid(name) == isValid) }
}
