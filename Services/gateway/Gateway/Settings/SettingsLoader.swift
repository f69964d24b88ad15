// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import SettingsContracts

/// `settings.load`: asks every service that a requested section needs, all at once, and puts the sections together when
/// the last has answered. A section's value is its service's result, byte for byte.
///
/// Used on the socket thread only.
final class SettingsLoader {
  /// What is asked of services: no params, since the metadata says who and in which language. In the order in which they
  /// are asked, the most work first.
  enum Source: Int, CaseIterable {
    case consent, permissions, notifications, account, blocked, app

    var method: String {
      switch self {
      case .account: AccountMethods.get.name
      case .permissions: PermissionMethods.list.name
      case .consent: ConsentMethods.get.name
      case .notifications: NotificationMethods.get.name
      case .blocked: AccountMethods.blocked.name
      case .app: AppMethods.get.name
      }
    }
  }

  /// Longer than this a section does not keep the others waiting, in milliseconds.
  private static let patience = 1000
  /// The request for each source; its id is the source's number.
  private static let bodies = Source.allCases.map {
    Array(#"{"jsonrpc":"2.0","id":\#($0.rawValue),"method":"\#($0.method)","params":{}}"#.utf8)
  }
  /// The sources of each service: what one service is asked goes in one message.
  private static let services: [(name: String, sources: [Source])] = {
    var services: [(name: String, sources: [Source])] = []
    for source in Source.allCases {
      guard let name = ServiceMap.service(answering: source.method) else { continue }
      if let index = services.firstIndex(where: { $0.name == name }) {
        services[index].sources.append(source)
      } else {
        services.append((name, [source]))
      }
    }
    return services
  }()

  private let proxy: RPCProxy
  private let services: [String: Upstream]

  init(_ proxy: RPCProxy, _ services: [String: Upstream]) {
    self.proxy = proxy
    self.services = services
  }

  func prepare(_ parser: MessageParser, _ request: ParsedRequest) throws(RPCError) -> (Call) -> Void {
    let params = try parser.params(SettingsLoadParams.self, of: request)
    if let locale = params.locale, !MetadataBytes.isLocale(locale) {
      throw .invalidParams("locale", "must be a language tag, such as de-AT")
    }
    return { [unowned self] call in load(call, params) }
  }

  private func load(_ call: Call, _ params: SettingsLoadParams) {
    let principal = call.credential.principal
    if let error = OwnSubject.refusal(accountId: params.accountId, deviceId: params.deviceId, principal) {
      return proxy.settle(call, error)
    }
    let sections = Set(params.sections ?? SettingsSectionName.allCases)
    let isPerson = principal.kind == .user
    let asked = SettingsLoader.services.compactMap { service -> (name: String, sources: [Source])? in
      let needed = service.sources.filter { SettingsLoader.needs($0, sections, isPerson: isPerson) }
      return needed.isEmpty ? nil : (service.name, needed)
    }
    let gathered = SettingsGathering(
      sections, isPerson: isPerson, locale: params.locale ?? call.locale, requestId: call.requestId)
    let finish = { [proxy] in proxy.settle(call, result: gathered.result()) }
    guard !asked.isEmpty else { return finish() }
    var missing = asked.count
    let deadline = min(call.deadline, .after(milliseconds: SettingsLoader.patience))
    for (name, sources) in asked {
      let take: (InboundReply) -> Void = { reply in
        gathered.take(reply, of: sources)
        missing -= 1
        if missing == 0 { finish() }
      }
      guard let service = services[name] else {
        take(.failed(.unavailable("the service is not configured", reason: "notConfigured")))
        continue
      }
      proxy.send(
        call, to: service, SettingsLoader.body(sources), locale: params.locale, deadline: deadline, completion: take)
    }
  }

  /// A request, or a batch of them.
  private static func body(_ sources: [Source]) -> [UInt8] {
    guard sources.count > 1 else { return bodies[sources[0].rawValue] }
    var body: [UInt8] = []
    for source in sources {
      body.append(body.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
      body.append(contentsOf: bodies[source.rawValue])
    }
    body.append(UInt8(ascii: "]"))
    return body
  }

  private static func needs(_ source: Source, _ sections: Set<SettingsSectionName>, isPerson: Bool) -> Bool {
    switch source {
    case .account: isPerson && sections.contains(.account)
    case .permissions: sections.contains(.permissions)
    case .consent: sections.contains(.consent) || sections.contains(.privacy)
    case .notifications: isPerson && sections.contains(.notifications)
    case .blocked: isPerson && sections.contains(.privacy)
    case .app: sections.contains(.links)
    }
  }
}
