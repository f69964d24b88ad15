// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Metrics
internal import RPC

/// Who calls, and whether they may.
extension RPCProxy {
  func judge(_ call: Call, _ request: ParsedRequest, _ arrival: Arrival) {
    inFlight.add(1)
    call.route.inFlight.add(1)
    bytesInFlight += call.byteCount
    call.requestId = arrival.requestId ?? names.next()
    call.isNamedByClient = arrival.requestId != nil
    if let refusal = admitted(call) { return settle(call, refusal) }
    // Errors in `_meta` were thrown before.
    if parser.hasMeta(request), let token = (try? parser.meta(request))?.token {
      var token = token
      token.withUTF8 { judge(call, UnsafeRawBufferPointer($0), arrival.address) }
    } else if let credential = arrival.credential {
      judge(call, credential, arrival.address)
    } else {
      judged(call, .good(arrival.isOperator ? busOperator : anonymous))
    }
  }

  func judge(_ call: Call, _ credential: UnsafeRawBufferPointer, _ address: () -> String) {
    if let outcome = authenticator.known(credential) { return judged(call, outcome) }
    let outcome = authenticator.judge(credential, from: address) { self.judged(call, $0) }
    if let outcome { judged(call, outcome) }
  }

  private func judged(_ call: Call, _ outcome: Authenticator.Outcome) {
    // Its client may have gone meanwhile.
    guard call.state == .judging else { return }
    switch outcome {
    case .refused(let error):
      authMetrics.count(error)
      settle(call, error)
    case .heldBack(let error):
      authMetrics.count(error)
      call.message.isHeldBack = true
      settle(call, error)
    case .good(let credential):
      call.credential = credential
      if credential.principal.kind != .anonymous { call.message.note(app: credential.principal.app) }
      let access = call.route.descriptor.access
      guard access.admits(credential.principal) else {
        let refusal = RPCProxy.refusal(of: call.route.descriptor, to: credential.principal)
        authMetrics.count(refusal)
        return settle(call, refusal)
      }
      if call.route.isLimited {
        if let refusal = callers.usage(of: credential).enter(at: call.began) {
          return settle(call, refusal.error("caller"))
        }
        call.isInCaller = true
      }
      call.state = .ready
      guard call.message.isBatch else { return start(call) }
      call.subject = RPCProxy.subject(of: call)
      pump(call.message)
    }
  }

  /// Whether there is room for it, and its address has not too many of them.
  private func admitted(_ call: Call) -> RPCError? {
    guard call.route.isLimited else { return nil }
    if bytesInFlight > byteLimit {
      return .resourceExhausted("too many bytes of calls at once", reason: "memory", retryAfterMs: 100)
    }
    if let refusal = call.message.source.enter(at: call.began) { return refusal.error("address") }
    call.isInSource = true
    return nil
  }

  private static func refusal(of method: MethodDescriptor, to principal: Principal) -> RPCError {
    principal.kind == .anonymous
      ? .unauthenticated("\(method.name) needs a credential: \(method.access.description)")
      : .permissionDenied("\(method.name) is for \(method.access.description)")
  }

  private static func subject(of call: Call) -> String? {
    let principal = call.credential.principal
    switch principal.kind {
    case .anonymous: return nil
    case .user: return "a:\(principal.accountId ?? "")"
    case .device: return "d:\(principal.deviceId ?? "")"
    case .key, .service: return call.namedSubject
    }
  }
}
