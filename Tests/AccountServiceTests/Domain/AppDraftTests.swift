// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import AccountService

@Suite("App draft")
struct AppDraftTests {
  @Test("is the record in its usual spelling")
  func good() throws {
    let params = AppPublishParams(
      name: " Notes ", controller: AppController(name: "Notes Ltd", contact: "privacy@notes.example"),
      publicUrl: "https://notes.example/", links: ["EN-us": AppLinks(privacyPolicy: "https://notes.example/privacy")],
      origins: ["https://Notes.example", "https://notes.example"], mailFrom: "no-reply@notes.example",
      defaultLocale: "pt-br", defaultRegulation: "gdpr")
    let record = try AppDraft(params, app: "notes").record(publishableKey: "pk", revision: 4)
    #expect(record.name == "Notes")
    #expect(record.publicUrl == "https://notes.example")
    #expect(record.links == ["en-US": AppLinks(privacyPolicy: "https://notes.example/privacy")])
    #expect(record.origins == ["https://notes.example"])
    #expect(record.defaultLocale == "pt-BR")
    #expect(record.publishableKey == "pk")
    #expect(record.revision == 4)
  }

  @Test(
    "is refused by an error that names the field",
    arguments: [
      (AppPublishParams(name: " "), "name"),
      (AppPublishParams(name: "a", controller: AppController(name: "", contact: "x")), "controller.name"),
      (AppPublishParams(name: "a", controller: AppController(name: "x", contact: " ")), "controller.contact"),
      (AppPublishParams(name: "a", publicUrl: "http://a.example"), "publicUrl"),
      (AppPublishParams(name: "a", links: ["x y": AppLinks()]), "links"),
      (AppPublishParams(name: "a", links: ["en": AppLinks(terms: "javascript:1")]), "links.en.terms"),
      (AppPublishParams(name: "a", origins: ["https://a.example", "*"]), "origins[1]"),
      (AppPublishParams(name: "a", origins: Array(repeating: "https://a.example", count: 51)), "origins"),
      (AppPublishParams(name: "a", mailFrom: "Notes <a@b.example>"), "mailFrom"),
      (AppPublishParams(name: "a", defaultLocale: "e"), "defaultLocale"),
      (AppPublishParams(name: "a", defaultRegulation: "nope"), "defaultRegulation"),
    ])
  func bad(params: AppPublishParams, field: String) {
    let error = #expect(throws: RPCError.self) { try AppDraft(params, app: "a") }
    #expect(error?.code == .invalidParams)
    #expect(error?.field == field)
  }

  @Test("is of a regulation that there is, which the refusal lists")
  func regulation() throws {
    let params = AppPublishParams(name: "a", defaultRegulation: "lgpd")
    let error = #expect(throws: RPCError.self) { try AppDraft(params, app: "a") }
    #expect(error?.message == "defaultRegulation: must be one of gdpr, ukGdpr, ccpa, dpdp, generic")
    let record = try AppDraft(params, app: "a", regulations: ["generic", "lgpd"])
      .record(publishableKey: "pk", revision: 1)
    #expect(record.defaultRegulation == "lgpd")
  }
}
