// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// A state as it is kept for repeats of the call that it answered: without the policy's texts, which are most of its bytes
/// and are there anyway (versions never change, so a version's number and a language give them back to the letter), and
/// with its categories as one text. It is half of what a decision writes, so its bytes count.
struct KeptState: Codable, Sendable {
  /// Without texts, once it has been read; `withTexts(of:)` puts them back.
  let state: ConsentState

  init(_ state: ConsentState) { self.state = state }

  private enum Member: String, CodingKey {
    case regulation, policyVersion, locale, needsConsent, promptReason, summary, enabledCount, optionalCount,
      categories,
      signals, reviewAt, country, subdivision, ageBand, revision, entryId, superseded
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    guard let categories = Self.categories(try members.decode(String.self, forKey: .categories)) else {
      throw DecodingError.dataCorruptedError(
        forKey: .categories, in: members, debugDescription: "not the text of categories")
    }
    let locale = try members.decode(String.self, forKey: .locale)
    state = ConsentState(
      regulation: try members.decode(String.self, forKey: .regulation),
      policyVersion: try members.decode(Int.self, forKey: .policyVersion),
      notice: ConsentNotice(title: "", text: "", hash: "", locale: locale),
      needsConsent: try members.decode(Bool.self, forKey: .needsConsent),
      promptReason: try members.decode(ConsentPromptReason.self, forKey: .promptReason),
      summary: try members.decode(String.self, forKey: .summary),
      enabledCount: try members.decode(Int.self, forKey: .enabledCount),
      optionalCount: try members.decode(Int.self, forKey: .optionalCount), categories: categories,
      signals: try members.decode(ConsentSignals.self, forKey: .signals),
      reviewAt: try members.decodeIfPresent(Timestamp.self, forKey: .reviewAt),
      country: try members.decodeIfPresent(String.self, forKey: .country),
      subdivision: try members.decodeIfPresent(String.self, forKey: .subdivision),
      ageBand: try members.decode(ConsentAgeBand.self, forKey: .ageBand),
      revision: try members.decode(Int64.self, forKey: .revision),
      entryId: try members.decodeIfPresent(String.self, forKey: .entryId),
      superseded: try members.decodeIfPresent([ConsentState.Superseded].self, forKey: .superseded))
  }

  // MARK: Categories

  /// `analytics allowed granted granted 1767225600000 1 save`, joined by `;`: id, what the category is now (`required`,
  /// `allowed` and the like), status, reason and, where there is a decision, its moment, version and method.
  private static func write(_ categories: [ConsentState.Category], to text: JSONText) {
    for (index, category) in categories.enumerated() {
      if index > 0 { text.add(plain: ";") }
      text.add(category.id)
      switch (category.required, category.allowed) {
      case (true, true): text.add(plain: " required ")
      case (true, false): text.add(plain: " requiredBarred ")
      case (false, true): text.add(plain: " allowed ")
      case (false, false): text.add(plain: " barred ")
      }
      text.add(category.status.rawValue)
      text.add(plain: " ")
      text.add(category.reason.rawValue)
      guard let decidedAt = category.decidedAt else { continue }
      text.add(plain: " ")
      text.add(decidedAt.milliseconds)
      text.add(plain: " ")
      text.add(Int64(category.policyVersion ?? 0))
      text.add(plain: " ")
      text.add(category.method?.rawValue ?? "-")
    }
  }

  private static func categories(_ text: String) -> [ConsentState.Category]? {
    var categories: [ConsentState.Category] = []
    for part in text.split(separator: ";") {
      let fields = part.split(separator: " ").map(String.init)
      guard fields.count == 4 || fields.count == 7, let status = ConsentStatus(rawValue: fields[2]),
        let reason = ConsentReason(rawValue: fields[3])
      else { return nil }
      var category = ConsentState.Category(
        id: fields[0], displayName: "", explanation: "", required: fields[1].hasPrefix("required"), status: status,
        allowed: fields[1] == "required" || fields[1] == "allowed", reason: reason)
      if fields.count == 7 {
        guard let moment = Int64(fields[4]), let version = Int(fields[5]) else { return nil }
        category.decidedAt = Timestamp(milliseconds: moment)
        category.policyVersion = version
        category.method = ConsentMethod(rawValue: fields[6])
      }
      categories.append(category)
    }
    return categories
  }
}

extension KeptState: JSONObjectEncodable {
  func encode(into object: JSONObject) {
    object.put("regulation", state.regulation)
    object.put("policyVersion", state.policyVersion)
    object.put("locale", state.notice.locale)
    object.put("needsConsent", state.needsConsent)
    object.put("promptReason", state.promptReason.rawValue)
    object.put("summary", state.summary)
    object.put("enabledCount", state.enabledCount)
    object.put("optionalCount", state.optionalCount)
    object.put("categories") { Self.write(state.categories, to: $0) }
    object.put("signals", state.signals)
    object.put("reviewAt", state.reviewAt)
    object.put("country", state.country)
    object.put("subdivision", state.subdivision)
    object.put("ageBand", state.ageBand.rawValue)
    object.put("revision", state.revision)
    object.put("entryId", state.entryId)
    object.put("superseded", state.superseded)
  }
}
