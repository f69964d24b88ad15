// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import SettingsContracts

/// `settings.setChoice`: the privacy switches are categories of consent, so a choice is a `consent.decide`.
///
/// Used on the socket thread only.
final class SettingsChooser {
  private let proxy: RPCProxy
  private let consent: Upstream

  init(_ proxy: RPCProxy, consent: Upstream) {
    self.proxy = proxy
    self.consent = consent
  }

  func prepare(_ parser: MessageParser, _ request: ParsedRequest) throws(RPCError) -> (Call) -> Void {
    let params = try parser.params(SettingsSetChoiceParams.self, of: request)
    guard params.personalizedRecommendations != nil || params.shareAnalytics != nil else {
      throw .invalidParams("params", "must have personalizedRecommendations or shareAnalytics")
    }
    return { [unowned self] call in choose(call, params) }
  }

  private func choose(_ call: Call, _ params: SettingsSetChoiceParams) {
    let principal = call.credential.principal
    if let error = OwnSubject.refusal(accountId: params.accountId, deviceId: params.deviceId, principal) {
      return proxy.settle(call, error)
    }
    var decisions: [String: Bool] = [:]
    decisions[ConsentChoices.Switch.personalization.rawValue] = params.personalizedRecommendations
    decisions[ConsentChoices.Switch.analytics.rawValue] = params.shareAnalytics
    let decide = ConsentDecideParams(
      policyVersion: params.policyVersion, decisions: decisions, method: .toggle, context: params.context,
      confirm: params.confirm)
    guard let body = try? Request.bytes(id: 1, method: ConsentMethods.decide.name, params: decide) else {
      return proxy.settle(call, .internalError(processed: .no))
    }
    proxy.send(call, to: consent, body) { [proxy] reply in
      switch reply {
      case .failed(let error): proxy.settle(call, error)
      case .reply(let body, _):
        do throws(RPCError) {
          let state = try Response.decode(ConsentChoices.self, from: body)
          let result = SettingsSetChoiceResult(
            personalizedRecommendations: state.allows(.personalization), shareAnalytics: state.allows(.analytics),
            policyVersion: state.policyVersion, revision: state.revision, entryId: state.entryId)
          proxy.settle(call, result: (try? JSON.encode(result)) ?? Array("{}".utf8))
        } catch {
          proxy.settle(call, error)
        }
      }
    }
  }
}
