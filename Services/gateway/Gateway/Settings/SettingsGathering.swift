// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import SettingsContracts

/// The answers of one `settings.load` until they are put together.
final class SettingsGathering {
  private enum Part {
    case value([UInt8])
    case error(RPCError)
  }

  private let sections: Set<SettingsSectionName>
  private let isPerson: Bool
  private let locale: String?
  /// Of the call that this answers.
  private let requestId: String
  private var parts: [SettingsLoader.Source: Part] = [:]
  // Read as soon as they come, while others are waited for.
  private var choices: ConsentChoices?
  private var blocked: BlockedCount?
  private var pages: AppPages?

  init(_ sections: Set<SettingsSectionName>, isPerson: Bool, locale: String?, requestId: String) {
    self.sections = sections
    self.isPerson = isPerson
    self.locale = locale
    self.requestId = requestId
  }

  /// Takes in a service's answer to all it was asked.
  func take(_ reply: InboundReply, of sources: [SettingsLoader.Source]) {
    switch reply {
    case .failed(let error): for source in sources { parts[source] = .error(error) }
    case .reply(let body, _):
      guard sources.count > 1, let members = try? JSON.decode([RawJSON].self, from: body) else {
        // One answer: to the one question, or to a batch that was refused whole.
        for source in sources { take(body, as: source) }
        return
      }
      for member in members { take(member.bytes, as: nil) }
    }
  }

  /// Takes in one response object.
  /// - Parameter source: nil: the one that its id names.
  private func take(_ response: [UInt8], as source: SettingsLoader.Source?) {
    response.withUnsafeBytes { bytes in
      switch Response.parse(bytes) {
      case .result(let id, let value):
        guard let source = source ?? SettingsGathering.source(id) else { return }
        parts[source] = .value(Array(value))
        read(value, of: source)
      case .error(let id, let error):
        guard let source = source ?? id.flatMap(SettingsGathering.source) else { return }
        parts[source] = .error(error)
      }
    }
  }

  private static func source(_ id: RequestID) -> SettingsLoader.Source? {
    Int(String(decoding: id.bytes, as: UTF8.self)).flatMap { SettingsLoader.Source(rawValue: $0) }
  }

  private func read(_ value: UnsafeRawBufferPointer, of source: SettingsLoader.Source) {
    switch source {
    case .consent where sections.contains(.privacy): choices = try? JSON.decode(ConsentChoices.self, from: value)
    case .blocked: blocked = try? JSON.decode(BlockedCount.self, from: value)
    case .app: pages = try? JSON.decode(AppPages.self, from: value)
    default: break
    }
  }

  /// The `SettingsLoadResult`, in the contract's order.
  func result() -> [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "{")]
    for name in SettingsSectionName.allCases where sections.contains(name) {
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: "\"\(name.rawValue)\":".utf8)
      write(section(name), to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  private static let null = Part.value(Array("null".utf8))
  private static let notYet = Part.value(Array(#"{"available":false}"#.utf8))

  private func section(_ name: SettingsSectionName) -> Part {
    switch name {
    case .account: isPerson ? part(.account) : SettingsGathering.null
    case .permissions: part(.permissions)
    case .privacy: privacy()
    case .notifications: isPerson ? part(.notifications) : SettingsGathering.null
    case .consent: part(.consent)
    // What this deployment does not have yet.
    case .export, .deletion: SettingsGathering.notYet
    case .links: links()
    }
  }

  private func part(_ source: SettingsLoader.Source) -> Part { parts[source] ?? .error(.internalError()) }

  private func write(_ part: Part, to bytes: inout [UInt8]) {
    switch part {
    case .value(let value):
      bytes.append(contentsOf: #"{"ok":true,"value":"#.utf8)
      bytes.append(contentsOf: value)
    case .error(var error):
      error.requestId = error.requestId ?? requestId
      bytes.append(contentsOf: #"{"ok":false,"error":"#.utf8)
      bytes.append(contentsOf: (try? JSON.encode(error)) ?? Array("{}".utf8))
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private func privacy() -> Part {
    if isPerson, case .error(let error) = part(.blocked) { return .error(error) }
    if case .error(let error) = part(.consent) { return .error(error) }
    guard let choices, let count = isPerson ? blocked?.count : 0 else { return .error(.internalError()) }
    return encoded(
      SettingsPrivacy(
        personalizedRecommendations: choices.allows(.personalization), shareAnalytics: choices.allows(.analytics),
        blockedCount: count))
  }

  private func links() -> Part {
    if case .error(let error) = part(.app) { return .error(error) }
    return pages.map { encoded($0.links(for: locale)) } ?? .error(.internalError())
  }

  private func encoded(_ value: some Encodable) -> Part {
    (try? JSON.encode(value)).map { .value($0) } ?? .error(.internalError())
  }

  /// Of `account.blocked`'s result.
  private struct BlockedCount: Decodable { var count: Int }
}
