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
  private var parts: [SettingsLoader.Source: Part] = [:]

  init(_ sections: Set<SettingsSectionName>, isPerson: Bool, locale: String?) {
    self.sections = sections
    self.isPerson = isPerson
    self.locale = locale
  }

  func take(_ reply: InboundReply, of source: SettingsLoader.Source) {
    switch reply {
    case .failed(let error): parts[source] = .error(error)
    case .reply(let body, _):
      parts[source] = body.withUnsafeBytes {
        switch Response.parse($0) {
        case .result(_, let value): .value(Array(value))
        case .error(_, let error): .error(error)
        }
      }
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
    case .error(let error):
      bytes.append(contentsOf: #"{"ok":false,"error":"#.utf8)
      bytes.append(contentsOf: (try? JSON.encode(error)) ?? Array("{}".utf8))
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private func privacy() -> Part {
    var blockedCount = 0
    if isPerson {
      switch part(.blocked) {
      case .error(let error): return .error(error)
      case .value(let value):
        guard let blocked = try? JSON.decode(BlockedCount.self, from: value) else { return .error(.internalError()) }
        blockedCount = blocked.count
      }
    }
    switch part(.consent) {
    case .error(let error): return .error(error)
    case .value(let value):
      guard let choices = try? JSON.decode(ConsentChoices.self, from: value) else { return .error(.internalError()) }
      return encoded(
        SettingsPrivacy(
          personalizedRecommendations: choices.allows(.personalization), shareAnalytics: choices.allows(.analytics),
          blockedCount: blockedCount))
    }
  }

  private func links() -> Part {
    switch part(.app) {
    case .error(let error): return .error(error)
    case .value(let value):
      guard let app = try? JSON.decode(AppPages.self, from: value) else { return .error(.internalError()) }
      return encoded(app.links(for: locale))
    }
  }

  private func encoded(_ value: some Encodable) -> Part {
    (try? JSON.encode(value)).map { .value($0) } ?? .error(.internalError())
  }

  /// Of `account.blocked`'s result.
  private struct BlockedCount: Decodable { var count: Int }
}
