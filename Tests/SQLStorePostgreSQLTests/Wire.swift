// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import SQLStore
import Threading

/// What lies between a client and a server on a Unix socket: it passes on, or takes connections and answers nothing, as an
/// address does where nobody is any more, and can be cut.
final class Wire: Sendable {
  private struct State {
    var isMute = false
    var passing: [CInt] = []
    var muted: [CInt] = []
  }
  private let folder: String
  private let listener: CInt
  private let server: String
  private let state = Lock(State())

  /// - Parameter folder: of the server's socket.
  init(to folder: String) throws {
    server = folder + "/.s.PGSQL.5432"
    var template = Array("/tmp/assent-wire-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw SQLStoreError(.failed, "no temporary folder") }
    self.folder = String(cString: made)
    listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    let bound = Self.withAddress(self.folder + "/.s.PGSQL.5432") { bind(listener, $0, $1) }
    guard bound == 0, listen(listener, 64) == 0 else { throw SQLStoreError(.failed, "no socket in \(self.folder)") }
    startThread(named: "wire") { [listener] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        self.take(client)
      }
    }
  }

  var url: String { "postgresql://postgres@/postgres?host=\(folder)" }

  /// Connections that were taken and are answered nothing.
  var mutedCount: Int { state.withLock { $0.muted.count } }

  func mute(_ isMute: Bool) { state.withLock { $0.isMute = isMute } }

  /// Ends what passes.
  func cut() { for one in state.withLock({ $0.passing }) { shutdown(one, CInt(SHUT_RDWR)) } }

  func close() {
    shutdown(listener, CInt(SHUT_RDWR))
    cut()
    for one in state.withLock({ $0.muted }) { shutdown(one, CInt(SHUT_RDWR)) }
    unlink(folder + "/.s.PGSQL.5432")
    rmdir(folder)
  }

  private func take(_ client: CInt) {
    let isMute = state.withLock { state in
      if state.isMute { state.muted.append(client) } else { state.passing.append(client) }
      return state.isMute
    }
    if isMute { return }
    let far = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    guard Self.withAddress(server, { connect(far, $0, $1) }) == 0 else {
      shutdown(client, CInt(SHUT_RDWR))
      return
    }
    for (from, to) in [(client, far), (far, client)] {
      startThread(named: "wire") {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
          let count = read(from, &buffer, buffer.count)
          guard count > 0, Self.write(buffer[..<count], to: to) else { break }
        }
        shutdown(from, CInt(SHUT_RDWR))
        shutdown(to, CInt(SHUT_RDWR))
      }
    }
  }

  private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: CInt) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress!, $0.count, CInt(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
