// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CMicroHTTPD

/// One request and its answer. Objects are kept and reused, one per slot; the generation tells their lives apart.
final class Exchange {
  enum State {
    case free
    /// Its body arrives.
    case receiving
    /// Its body is too long: what still comes is dropped, then it is refused.
    case dropping
    /// The handler has it and libmicrohttpd watches its socket: inside `receive` only.
    case handling
    /// The handler has it. libmicrohttpd asks for the answer at each run, until the connection is suspended.
    case waiting
    /// `response` waits to be queued.
    case answered
    /// The response is queued; for a stream, `stream` feeds it.
    case sending
    /// The client is gone, or the server stops: the connection is to be closed.
    case gone
  }

  var state = State.free
  var generation: UInt32 = 0
  var client = 0
  var connection: OpaquePointer?
  var method = HTTPMethod.get
  /// Good until the request has ended.
  var headers: [HeaderField] = []
  var body: [UInt8] = []
  var bodyLimit = 0
  /// Why its body is dropped, if it is.
  var refusal = HTTPRefusal.bodyTooLarge(limit: 0)
  var dropped = 0
  var response: OpaquePointer?
  var status: UInt32 = 0
  /// Of the response's body.
  var responseBytes = 0
  var stream: StreamBody?
  /// How often libmicrohttpd has asked for the answer.
  var asked = 0
  var isSuspended = false
  /// It waits and is not suspended.
  var isAsking = false
  /// The number of the run that brought the last piece of its body.
  var lastPiece: UInt64 = 0

  func resume() {
    guard isSuspended else { return }
    isSuspended = false
    MHD_resume_connection(connection)
  }

  func reset() {
    state = .free
    connection = nil
    headers.removeAll(keepingCapacity: true)
    body = []
    dropped = 0
    asked = 0
    isSuspended = false
    isAsking = false
    lastPiece = 0
    if let response { MHD_destroy_response(response) }
    response = nil
    responseBytes = 0
    stream = nil
  }

  deinit { reset() }
}

/// A slab of reusable entries: an index is handed out again under another generation.
struct Slots<Entry> {
  private(set) var entries: [Entry] = []
  private var free: [Int] = []

  var count: Int { entries.count - free.count }

  mutating func take(_ make: () -> Entry) -> Int {
    if let index = free.popLast() { return index }
    entries.append(make())
    return entries.count - 1
  }

  mutating func give(back index: Int) { free.append(index) }

  subscript(index: Int) -> Entry {
    get { entries[index] }
    _modify { yield &entries[index] }
  }
}
