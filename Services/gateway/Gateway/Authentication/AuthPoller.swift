// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Logging
internal import RPC
internal import RPCZeroMQ
internal import SettingsContracts
internal import ZeroMQ

/// Asks account-service for news of keys, apps and sessions, every 250 ms and whenever somebody waits for them. A member
/// of the socket thread without sockets: a load is a call like any other.
///
/// Unchecked Sendable: used on the socket thread only.
final class AuthPoller: LoopMember, @unchecked Sendable {
  /// Between the starts of two loads, in milliseconds.
  static let interval: Int64 = 250
  /// A load that takes longer has failed, in milliseconds: its news would be too old to believe anybody by.
  static let timeout = 900

  private let authenticator: Authenticator
  private let transport: any ClientTransport
  private let thread: SocketThread
  private let logger: Logger
  private let metadata: [UInt8]
  /// A replica that does not answer must not cost the news: another is asked beside it.
  private let profile = MethodProfile(isHedged: true)
  /// In monotonic milliseconds.
  private var nextAt: Int64 = 0
  private var isLoading = false
  private var isWanted = false
  private var isStopped = false
  private var wasReady = false

  init(_ authenticator: Authenticator, _ transport: any ClientTransport, on thread: SocketThread, _ logger: Logger) {
    self.authenticator = authenticator
    self.transport = transport
    self.thread = thread
    self.logger = logger
    metadata =
      (try? JSON.encode(CallMetadata(principal: Principal(kind: .service, name: "gateway")))) ?? Array("{}".utf8)
    authenticator.refresh = { [unowned self] in
      isWanted = true
      self.thread.giveTurn(to: self)
    }
  }

  func pollItems() -> [PollItem] { [] }

  func nextTimeout() -> Int? {
    isStopped || isLoading ? nil : Int(max(0, nextAt - MonotonicClock.milliseconds()))
  }

  func turn() -> Bool {
    let now = MonotonicClock.milliseconds()
    guard !isStopped, !isLoading, isWanted || now >= nextAt else { return false }
    load(began: now)
    return false
  }

  func stop() { isStopped = true }

  private func load(began: Int64) {
    isLoading = true
    isWanted = false
    nextAt = began + AuthPoller.interval
    let params = AuthChangesParams(cursor: authenticator.directory.cursor)
    guard let body = try? Request.bytes(id: 1, method: AccountMethods.authChanges.name, params: params) else { return }
    let request = OutboundRequest(
      body: body, metadata: metadata, deadline: .after(milliseconds: AuthPoller.timeout), isIdempotent: true,
      profile: profile)
    transport.send(request) { reply in self.thread.onThread { self.loaded(reply, began: began) } }
  }

  private func loaded(_ reply: InboundReply, began: Int64) {
    isLoading = false
    switch reply {
    case .reply(let body, _):
      do throws(RPCError) {
        let page = try Response.decode(AuthChanges.self, from: body)
        authenticator.apply(page, began: began)
        if page.more == true { isWanted = true }
      } catch {
        failed(error)
      }
    case .failed(let error): failed(error)
    }
    if authenticator.isReady != wasReady {
      wasReady.toggle()
      logger.info(wasReady ? "credentials can be checked" : "credentials cannot be checked")
    }
    if isWanted { thread.giveTurn(to: self) }
  }

  private func failed(_ error: RPCError) {
    logger.debug("no news of credentials", ["reason": .string(error.reason)])
    authenticator.loadFailed()
  }
}
