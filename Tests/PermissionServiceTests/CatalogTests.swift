// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import PermissionService

@Suite("Permission catalog")
struct CatalogTests {
  @Test(
    "has texts of its own for every kind, with two or three benefits and the app's name",
    arguments: PermissionKind.allCases)
  func builtIn(kind: PermissionKind) throws {
    let entry = Catalog.builtIn.localized(kind, nil)
    #expect(!entry.name.isEmpty && !entry.symbol.isEmpty && entry.reason?.isEmpty == false)
    let content = entry.primer.naming("Tern")
    #expect(2...3 ~= content.benefits.count)
    #expect(content.alert.title.contains("“Tern”"))
    #expect(content.alert.buttons.count >= 2)
    #expect(!(try JSON.encodeString(content)).contains("{appName}"))
    // It keeps to the rules that an app's own has to keep to.
    try PermissionPublishCatalogParams(
      kinds: [.init(kind: kind, texts: [.init(locale: "en", name: entry.name, primer: entry.primer)])]
    ).check()
  }

  @Test("says what limited means where the systems know it")
  func limited() {
    let meanings = Catalog.builtIn.localized(nil).compactMap { kind in kind.limited.map { "\(kind.kind): \($0)" } }
    #expect(
      meanings == [
        "photos: Selected photos", "location: Approximate location", "contacts: Chosen contacts",
        "notifications: Delivered quietly",
      ])
  }

  @Test("shows an app's kinds in its order and language, with the built-in texts for what it leaves out")
  func published() {
    let catalog = Catalog(
      revision: 3,
      kinds: [
        .init(
          kind: .photos, symbol: "photo",
          texts: [.init(locale: "en", name: "Pictures"), .init(locale: "de", name: "Bilder", reason: "Zum Teilen.")]),
        .init(kind: .camera, promptOnce: false),
      ])
    let german = catalog.localized("de-AT")
    #expect(german.map(\.kind) == [.photos, .camera])
    #expect(german[0].name == "Bilder")
    #expect(german[0].reason == "Zum Teilen.")
    #expect(german[0].symbol == "photo")
    #expect(german[0].limited == "Selected photos")
    #expect(german[1].name == "Camera")
    #expect(!german[1].promptOnce)
    #expect(catalog.localized("fr")[0].name == "Pictures")
    #expect(catalog.localized(.microphone, "de").name == "Microphone")
  }

  private static let content = Catalog.builtIn.localized(.camera, nil).primer

  @Test("is refused by an error that names the member")
  func refused() {
    typealias Kind = PermissionPublishCatalogParams.Kind
    typealias Texts = PermissionPublishCatalogParams.Texts
    var oneBenefit = Self.content
    oneBenefit.benefits = [oneBenefit.benefits[0]]
    var noButtons = Self.content
    noButtons.alert.buttons = []
    var blankLine = Self.content
    blankLine.denied.line = " "
    let cases: [([Kind], String)] = [
      ([], "kinds: 0 are not in 1...7"),
      ([Kind(kind: .camera), Kind(kind: .camera)], "kinds[1].kind: camera is listed twice"),
      ([Kind(kind: .camera, symbol: "")], "kinds[0].symbol: 0 characters are not in 1...100"),
      (
        [Kind(kind: .camera, texts: [Texts(locale: "e")])],
        "kinds[0].texts[0].locale: must be a BCP 47 language tag, such as de-AT"
      ),
      (
        [Kind(kind: .camera, texts: [Texts(locale: "en"), Texts(locale: "EN")])],
        "kinds[0].texts[1].locale: is listed twice"
      ),
      (
        [Kind(kind: .camera, texts: [Texts(locale: "en", name: "\n")])],
        "kinds[0].texts[0].name: must not hold control characters, line breaks or text direction controls"
      ),
      (
        [Kind(kind: .camera, texts: [Texts(locale: "en", primer: oneBenefit)])],
        "kinds[0].texts[0].primer.benefits: 1 are not in 2...3"
      ),
      (
        [Kind(kind: .camera, texts: [Texts(locale: "en", primer: noButtons)])],
        "kinds[0].texts[0].primer.alert.buttons: 0 are not in 1...4"
      ),
      (
        [Kind(kind: .camera, texts: [Texts(locale: "en", primer: blankLine)])],
        "kinds[0].texts[0].primer.denied.line: must not be blank"
      ),
    ]
    for (kinds, message) in cases {
      let error = #expect(throws: RPCError.self) { try PermissionPublishCatalogParams(kinds: kinds).check() }
      #expect(error?.message == message)
    }
  }
}
