// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// An app's record as it is about to be published, checked.
struct AppDraft: Sendable {
  private static let originLimit = 50
  private static let linkLimit = 100

  private var draft: AppRecord

  /// - Parameter regulations: those there are.
  /// - Throws: INVALID_PARAMS.
  init(
    _ params: AppPublishParams, app: String, regulations: [String] = RegulationNames.builtIn
  ) throws(RPCError) {
    draft = AppRecord(app: app, name: try Text.line(params.name, "name", atMost: 100), publishableKey: "", revision: 0)
    if let controller = params.controller {
      draft.controller = AppController(
        name: try Text.line(controller.name, "controller.name", atMost: 200),
        contact: try Text.line(controller.contact, "controller.contact", atMost: 320))
    }
    if let publicUrl = params.publicUrl { draft.publicUrl = try WebAddress.base(publicUrl, "publicUrl") }
    draft.links = try Self.links(params.links ?? [:])
    draft.origins = try Self.origins(params.origins ?? [])
    if let mailFrom = params.mailFrom { draft.mailFrom = try EmailAddress.checked(mailFrom, "mailFrom") }
    if let locale = params.defaultLocale { draft.defaultLocale = try LanguageTag.checked(locale, "defaultLocale") }
    if let regulation = params.defaultRegulation {
      guard regulations.contains(regulation) else {
        throw .invalidParams("defaultRegulation", "must be one of \(regulations.joined(separator: ", "))")
      }
      draft.defaultRegulation = regulation
    }
  }

  func record(publishableKey: String, revision: Int64) -> AppRecord {
    var record = draft
    record.publishableKey = publishableKey
    record.revision = revision
    return record
  }

  /// What the audit trail says of it. The record is the app's, not a person's, but names in it may be people's.
  var facts: [String: JSONValue] {
    var facts: [String: JSONValue] = [
      "defaultLocale": .string(draft.defaultLocale), "origins": .array(draft.origins.map { .string($0) }),
    ]
    if let regulation = draft.defaultRegulation { facts["defaultRegulation"] = .string(regulation) }
    return facts
  }

  private static func links(_ links: [String: AppLinks]) throws(RPCError) -> [String: AppLinks] {
    guard links.count <= linkLimit else { throw .invalidParams("links", "must have at most \(linkLimit) locales") }
    var checked: [String: AppLinks] = [:]
    for (locale, pages) in links {
      guard let tag = LanguageTag.canonical(locale) else {
        throw .invalidParams("links", "each name in it must be a BCP 47 language tag, such as de-AT")
      }
      var made = AppLinks()
      if let page = pages.privacyPolicy { made.privacyPolicy = try WebAddress.page(page, "links.\(tag).privacyPolicy") }
      if let page = pages.terms { made.terms = try WebAddress.page(page, "links.\(tag).terms") }
      checked[tag] = made
    }
    return checked
  }

  private static func origins(_ origins: [String]) throws(RPCError) -> [String] {
    guard origins.count <= originLimit else {
      throw .invalidParams("origins", "must be at most \(originLimit)")
    }
    var checked: [String] = []
    for (index, origin) in origins.enumerated() {
      let made = try WebAddress.origin(origin, "origins[\(index)]")
      if !checked.contains(made) { checked.append(made) }
    }
    return checked
  }
}
