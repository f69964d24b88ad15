// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CZeroMQ
internal import Glibc

/// A libzmq socket. Belongs to the thread that made it, for every call and for its release (asserted in debug builds);
/// no call blocks. Closed when released or by `close()`, then sends what is queued for at most its `linger`.
public final class Socket {
  /// Nil once closed; libzmq answers every call on nil with ENOTSOCK.
  private(set) var handle: UnsafeMutableRawPointer?
  private let context: Context
  private let owner = pthread_self()
  /// Whether a message may wait without the socket's descriptor showing it: any call may take in what the IO thread
  /// reported, and with it the descriptor's signal. Only a receive that found nothing, or a look at `events`, settles it.
  var mayHoldUnseen = true

  /// A socket with the settings that keep it from waiting for ever or growing without bound: see `Socket+safety.swift`.
  public init(_ kind: SocketKind, in context: Context) throws(ZeroMQError) {
    guard let handle = zmq_socket(context.handle, kind.code) else { throw .current }
    self.handle = handle
    self.context = context
    try setSafeDefaults(kind)
  }

  deinit { close() }

  public func close() {
    guard let handle else { return }
    assertOwned()
    self.handle = nil
    zmq_close(handle)
  }

  func isOf(_ context: Context) -> Bool { self.context === context }

  @inline(__always) func assertOwned() {
    mayHoldUnseen = true
    assert(pthread_equal(owner, pthread_self()) != 0, "a ZeroMQ socket was used off the thread that owns it")
  }
}

// MARK: Options and endpoints

extension Socket {
  public func set<Value>(_ option: SocketOption<Value>, _ value: Value) throws(ZeroMQError) {
    assertOwned()
    try ZeroMQError.check(
      value.withOptionBytes { zmq_setsockopt(handle, option.code, $0.baseAddress, $0.count) })
  }

  public func get<Value>(_ option: SocketOption<Value>) throws(ZeroMQError) -> Value {
    assertOwned()
    let result = withUnsafeTemporaryAllocation(byteCount: Value.optionCapacity, alignment: 8) {
      buffer -> Result<Value, ZeroMQError> in
      var count = buffer.count
      guard zmq_getsockopt(handle, option.code, buffer.baseAddress, &count) == 0 else { return .failure(.current) }
      return .success(Value(optionBytes: UnsafeRawBufferPointer(rebasing: buffer.prefix(count))))
    }
    return try result.get()
  }

  /// - Parameter endpoint: such as `ipc:///run/assent/consent` or `tcp://127.0.0.1:*`.
  /// - Returns: the endpoint as bound, wildcards resolved.
  @discardableResult
  public func bind(_ endpoint: String) throws(ZeroMQError) -> String {
    assertOwned()
    if endpoint.hasPrefix("tcp://[") { try set(.ipv6, true) }
    try ZeroMQError.check(zmq_bind(handle, endpoint))
    return try get(.lastEndpoint)
  }

  /// - Parameter endpoint: with a numeric address. libzmq would resolve a name on its IO thread, blocking it, and take
  ///   the first address only; `EINVAL` is thrown for one.
  public func connect(_ endpoint: String) throws(ZeroMQError) {
    assertOwned()
    guard Endpoint.isNumeric(endpoint) else { throw ZeroMQError(code: EINVAL) }
    if endpoint.hasPrefix("tcp://[") { try set(.ipv6, true) }
    try ZeroMQError.check(zmq_connect(handle, endpoint))
  }

  public func unbind(_ endpoint: String) throws(ZeroMQError) {
    assertOwned()
    try ZeroMQError.check(zmq_unbind(handle, endpoint))
  }

  public func disconnect(_ endpoint: String) throws(ZeroMQError) {
    assertOwned()
    try ZeroMQError.check(zmq_disconnect(handle, endpoint))
  }
}

// MARK: Messages

extension Socket {
  /// Queues one frame; its bytes are copied.
  /// - Parameter more: whether another frame of the same message follows.
  /// - Returns: false when the queue is full or nobody is connected; nothing was queued.
  /// - Throws: `hostUnreachable` from a ROUTER whose peer has gone.
  @inline(__always)
  public func send(_ bytes: UnsafeRawBufferPointer, more: Bool = false) throws(ZeroMQError) -> Bool {
    assertOwned()
    let flags = more ? ZMQ_DONTWAIT | ZMQ_SNDMORE : ZMQ_DONTWAIT
    while zmq_send(handle, bytes.baseAddress, bytes.count, flags) < 0 {
      let error = ZeroMQError.current
      if error == .wouldBlock { return false }
      if error != .interrupted { throw error }
    }
    return true
  }

  public func send(_ bytes: [UInt8], more: Bool = false) throws(ZeroMQError) -> Bool {
    let result = bytes.withUnsafeBytes { buffer -> Result<Bool, ZeroMQError> in
      do throws(ZeroMQError) { return .success(try send(buffer, more: more)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Queues one frame without copying its bytes. On success libzmq owns them and `message` is left empty.
  /// - Returns: as `send(_:more:)`; after false the message is as it was.
  public func send(_ message: inout Message, more: Bool = false) throws(ZeroMQError) -> Bool {
    assertOwned()
    let flags = more ? ZMQ_DONTWAIT | ZMQ_SNDMORE : ZMQ_DONTWAIT
    while zmq_msg_send(message.storage, handle, flags) < 0 {
      let error = ZeroMQError.current
      if error == .wouldBlock { return false }
      if error != .interrupted { throw error }
    }
    return true
  }

  /// Queues a whole message of one or more frames.
  ///
  /// Whether a message is taken is decided at its first frame. Should the peer vanish between two frames, libzmq expects
  /// the rest all the same and drops it; it is sent so that the next message starts clean.
  public func send(frames: [[UInt8]]) throws(ZeroMQError) -> Bool {
    var taken = true
    for (index, frame) in frames.enumerated() {
      if try !send(frame, more: index < frames.count - 1) {
        if index == 0 { return false }
        taken = false
      }
    }
    return taken
  }

  /// Takes one frame, without copying its bytes: `message` owns libzmq's buffer until it is released or reused.
  /// - Returns: false when there is none. A readable socket may have none: poll results can be stale.
  @inline(__always)
  public func receive(into message: borrowing Message) throws(ZeroMQError) -> Bool {
    try receive(into: message.storage)
  }

  @inline(__always)
  func receive(into storage: UnsafeMutablePointer<zmq_msg_t>) throws(ZeroMQError) -> Bool {
    assertOwned()
    while zmq_msg_recv(storage, handle, ZMQ_DONTWAIT) < 0 {
      let error = ZeroMQError.current
      if error == .wouldBlock {
        mayHoldUnseen = false
        return false
      }
      if error != .interrupted { throw error }
    }
    return true
  }

  /// A whole message copied out, or nil. For tests and for what is rare; servers receive into a `MultipartMessage`.
  public func receive() throws(ZeroMQError) -> [[UInt8]]? {
    let message = Message()
    guard try receive(into: message) else { return nil }
    var frames = [message.copiedBytes]
    while message.hasMore {
      guard try receive(into: message) else { return frames }
      frames.append(message.copiedBytes)
    }
    return frames
  }

  /// ZMQ_FD, for a `Poller`.
  var descriptor: CInt {
    var descriptor: CInt = -1
    var count = MemoryLayout<CInt>.size
    zmq_getsockopt(handle, ZMQ_FD, &descriptor, &count)
    return descriptor
  }

  /// What the socket is ready for, after libzmq has looked at what its IO thread reported.
  public var events: PollEvents {
    get throws(ZeroMQError) {
      let events = PollEvents(rawValue: Int16(truncatingIfNeeded: try get(.events)))
      mayHoldUnseen = events.contains(.readable)
      return events
    }
  }
}
