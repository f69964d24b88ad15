// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CZeroMQ
internal import Glibc
internal import Synchronization

/// Bytes of frames that libzmq has of us and has not let go of: it has neither handed them to the kernel nor dropped them
/// with their connection. libzmq bounds what it queues by messages only, and tells nobody how many there are.
public final class QueuedBytes: Sendable {
  private let count = Atomic<Int>(0)
  /// Counts them too.
  private let whole: QueuedBytes?

  public init(partOf whole: QueuedBytes? = nil) { self.whole = whole }

  public var value: Int { count.load(ordering: .relaxed) }

  fileprivate func add(_ change: Int) {
    count.add(change, ordering: .relaxed)
    whole?.add(change)
  }
}

/// What libzmq gets along with a frame's bytes.
private final class QueuedFrame {
  private let bytes: UnsafeMutableRawPointer
  private let count: Int
  private let account: QueuedBytes

  init(_ bytes: UnsafeMutableRawPointer, _ count: Int, _ account: QueuedBytes) {
    self.bytes = bytes
    self.count = count
    self.account = account
    account.add(count)
  }

  deinit {
    free(bytes)
    account.add(-count)
  }
}

extension Socket {
  /// Queues the last frame of a message, as `send(_:more:)` does, and counts its bytes in `account` until libzmq lets go of
  /// them, which it does on threads of its own.
  public func send(_ bytes: [UInt8], countedIn account: QueuedBytes) throws(ZeroMQError) -> Bool {
    var message = try Message.counted(bytes, in: account)
    return try send(&message)
  }
}

extension Message {
  fileprivate static func counted(_ bytes: [UInt8], in account: QueuedBytes) throws(ZeroMQError) -> Message {
    guard let copy = malloc(max(1, bytes.count)) else { throw ZeroMQError(code: ENOMEM) }
    bytes.withUnsafeBytes { if let start = $0.baseAddress { memcpy(copy, start, $0.count) } }
    // Released by libzmq's call, which comes exactly once, or at once if it takes nothing.
    let frame = Unmanaged.passRetained(QueuedFrame(copy, bytes.count, account))
    let message = Message()
    let code = zmq_msg_init_data(
      message.storage, copy, bytes.count, { _, frame in Unmanaged<QueuedFrame>.fromOpaque(frame!).release() },
      frame.toOpaque())
    guard code == 0 else {
      let error = ZeroMQError.current
      frame.release()
      throw error
    }
    return message
  }
}
