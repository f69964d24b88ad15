// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CMicroHTTPD
internal import Glibc

/// The body of a response that is written bit by bit. libmicrohttpd pulls from it; while there is nothing to send the
/// connection is suspended.
final class StreamBody {
  let connection: OpaquePointer
  private let runs: Runs
  private var buffer: [UInt8] = []
  private var sent = 0
  private(set) var isSuspended = false
  private(set) var isEnded = false
  private var isBroken = false

  init(_ connection: OpaquePointer, _ runs: Runs) {
    self.connection = connection
    self.runs = runs
  }

  /// Bytes that no read has taken yet.
  var pending: Int { buffer.count - sent }

  func write(_ bytes: some Collection<UInt8>) {
    buffer.append(contentsOf: bytes)
    resume()
  }

  func end() {
    isEnded = true
    resume()
  }

  /// Closes the connection in the middle, so that the client cannot take the body for whole.
  func abort() {
    isBroken = true
    resume()
  }

  private func resume() {
    guard isSuspended else { return }
    isSuspended = false
    MHD_resume_connection(connection)
  }

  fileprivate func read(into output: UnsafeMutableRawPointer, atMost capacity: Int) -> Int {
    if isBroken { return endWithError }
    if pending == 0 {
      if isEnded { return endOfStream }
      isSuspended = true
      MHD_suspend_connection(connection)
      return 0
    }
    // Each run writes one such part.
    runs.goOn()
    let count = min(capacity, pending)
    buffer.withUnsafeBytes { output.copyMemory(from: $0.baseAddress! + sent, byteCount: count) }
    sent += count
    if sent == buffer.count {
      buffer.removeAll(keepingCapacity: buffer.capacity <= 65_536)
      sent = 0
    }
    return count
  }

  /// A response that pulls from this body; it holds a retain of it until libmicrohttpd destroys the response.
  func makeResponse() -> OpaquePointer? {
    MHD_create_response_from_callback(
      UInt64.max, 4096,
      { context, _, output, capacity in
        Unmanaged<StreamBody>.fromOpaque(context!)._withUnsafeGuaranteedRef {
          $0.read(into: UnsafeMutableRawPointer(output!), atMost: capacity)
        }
      }, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<StreamBody>.fromOpaque($0!).release() })
  }
}

// The header's macros cast -1 and -2 to ssize_t, which Swift does not import.
private let endOfStream = -1
private let endWithError = -2
