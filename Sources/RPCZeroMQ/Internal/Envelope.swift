// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ZeroMQ

/// Where the parts of a received message lie: the return route, metadata or not, the body.
///
/// The last frame is the body. The two before it are `ASNT1` and metadata if and only if the first of them says so and
/// the second begins with `{`. All before that is the route, echoed byte for byte.
struct Envelope {
  private static let mark: StaticString = "ASNT1"
  static var markBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
  }
  /// Frames of a message, the ROUTER's own included.
  static let frameLimit = 8
  /// Bytes of a message, all its frames together.
  static let byteLimit = 1 << 20
  static let metadataLimit = 8 << 10

  /// Indices of the frames of the return route; a ROUTER's routing id is not among them.
  let route: Range<Int>
  let metadata: Int?
  let body: Int

  /// - Parameter routeStart: 1 behind a ROUTER, whose first frame is the routing id; 0 behind a DEALER.
  init(_ message: MultipartMessage, routeStart: Int) {
    body = message.count - 1
    if message.count >= routeStart + 3, Envelope.isMark(message[body - 2]), message[body - 1].first == UInt8(ascii: "{")
    {
      metadata = body - 1
      route = routeStart..<body - 2
    } else {
      metadata = nil
      route = routeStart..<max(routeStart, body)
    }
  }

  /// Of a message of too many frames, whose body is not known: up to the first empty frame, which is where a REQ ends its
  /// route; a plain DEALER has none.
  init(ofTooManyFrames message: MultipartMessage) {
    metadata = nil
    body = message.count - 1
    let delimiter = (1..<message.count).first { message[$0].isEmpty }
    route = 1..<(delimiter.map { $0 + 1 } ?? 1)
  }

  private static func isMark(_ frame: UnsafeRawBufferPointer) -> Bool {
    frame.count == 5 && memcmp(frame.baseAddress!, mark.utf8Start, 5) == 0
  }
}
