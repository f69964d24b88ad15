// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import JSONRPC

/// A principal as calls carry it: one object that all calls of the same caller may share, since a principal's dozen fields
/// would be copied with each hand a call passes through. Its JSON is the principal's.
public final class Caller: Sendable {
  public static let anonymous = Caller(.anonymous)
  public let principal: Principal
  public init(_ principal: Principal) { self.principal = principal }
}

extension Caller: Codable {
  public convenience init(from decoder: any Decoder) throws { self.init(try Principal(from: decoder)) }
  public func encode(to encoder: any Encoder) throws { try principal.encode(to: encoder) }
}

/// Callers whose JSON was read lately, by its bytes: a gateway sends the same for every call with the same credential.
/// What it holds is no more than a memory of reading; whether the sender is believed is not its business. Used by one
/// thread.
package final class CallerCache {
  private struct Entry {
    let json: [UInt8]
    let caller: Caller
  }
  /// Each caller has one place and shares it with others.
  private var places = [Entry?](repeating: nil, count: CallerCache.count)
  private static let count = 1024
  private static let longest = 1024

  package init() {}

  func find(_ json: UnsafeBufferPointer<UInt8>) -> Caller? {
    guard let entry = places[CallerCache.place(json)], entry.json.count == json.count,
      memcmp(entry.json, json.baseAddress!, json.count) == 0
    else { return nil }
    return entry.caller
  }

  func keep(_ caller: Caller, _ json: UnsafeBufferPointer<UInt8>) {
    guard json.count <= CallerCache.longest else { return }
    places[CallerCache.place(json)] = Entry(json: Array(json), caller: caller)
  }

  private static func place(_ json: UnsafeBufferPointer<UInt8>) -> Int {
    Int(WordHash.of(UnsafeRawBufferPointer(json)) & UInt64(count - 1))
  }
}
