// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import NotificationPrefsService

@Suite("Notification catalog")
struct CatalogTests {
  typealias Category = NotificationPublishCatalogParams.Category
  typealias Texts = NotificationPublishCatalogParams.Texts

  @Test("is not critical, not commercial and off unless it says so")
  func defaults() throws {
    let catalog = Catalog(
      revision: 1, categories: [Category(id: "new", texts: [Texts(locale: "en", title: "New")], channels: [.push])])
    let category = catalog.localized(nil).categories[0]
    #expect(!category.critical)
    #expect(!category.commercial)
    #expect(category.defaultOn == [])
  }

  @Test("is shown in the language nearest to the one asked for")
  func language() {
    let catalog = Catalog(
      revision: 1,
      categories: [
        Category(
          id: "new", texts: [Texts(locale: "en", title: "New"), Texts(locale: "de", title: "Neu")], channels: [.push])
      ])
    #expect(catalog.localized("de-CH").categories[0].title == "Neu")
    #expect(catalog.localized("fr").categories[0].title == "New")
  }

  @Test("that is built in keeps to the rules for those that are published")
  func builtIn() throws {
    try NotificationPublishCatalogParams(categories: Catalog.builtIn.categories).check()
  }

  @Test("is refused where it could not take effect, by an error that names the member")
  func refused() {
    func category(_ id: String = "a", _ change: (inout Category) -> Void = { _ in }) -> Category {
      var category = Category(id: id, texts: [Texts(locale: "en", title: "A")], channels: [.push, .email])
      change(&category)
      return category
    }
    let cases: [([Category], String)] = [
      ([], "categories: 0 are not in 1...100"),
      ([category("a b")], "categories[0].id: must be 1 to 64 of A-Z a-z 0-9 . _ -"),
      ([category(), category()], "categories[1].id: a is listed twice"),
      ([category { $0.texts = [] }], "categories[0].texts: 0 are not in 1...100"),
      (
        [category { $0.texts[0].title = "" }], "categories[0].texts[0].title: 0 characters are not in 1...60"
      ),
      (
        [category { $0.channels = [] }], "categories[0].channels: must be one or more of push, email, sms, each once"
      ),
      (
        [category { $0.channels = [.push, .push] }],
        "categories[0].channels: must be one or more of push, email, sms, each once"
      ),
      (
        [category { $0.defaultOn = [.sms] }],
        "categories[0].defaultOn: sms is not among the channels that a offers"
      ),
      (
        [
          category {
            $0.critical = true; $0.defaultOn = []
          }
        ],
        "categories[0].defaultOn: a critical category needs a channel that is on"
      ),
      (
        [
          category {
            $0.critical = true; $0.commercial = true
          }
        ],
        "categories[0].commercial: a critical category cannot be commercial"
      ),
      (
        [
          category {
            $0.critical = true; $0.consentCategory = "marketing"
          }
        ],
        "categories[0].consentCategory: a critical category cannot depend on consent"
      ),
      (
        [category { $0.consentCategory = "" }],
        "categories[0].consentCategory: must be 1 to 64 of A-Z a-z 0-9 . _ -"
      ),
    ]
    for (categories, message) in cases {
      let error = #expect(throws: RPCError.self) {
        try NotificationPublishCatalogParams(categories: categories).check()
      }
      #expect(error?.message == message)
    }
  }
}
