// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Events
public import JSONRPC
public import RPC

/// Whom a call is about. Devices and persons are known from their token and may leave the id out; keys and services
/// name it.
extension CallContext {
  /// The account the call is about.
  /// - Parameter named: the param `accountId`.
  /// - Throws: PERMISSION_DENIED when a person names another's account, or a device any; INVALID_PARAMS when a key names
  ///   none, or the id is malformed.
  public func accountId(_ named: String?) throws(RPCError) -> String {
    switch principal.kind {
    case .user:
      guard let own = principal.accountId else { throw Self.incomplete }
      guard named == nil || named == own else {
        throw .permissionDenied("accountId: another's account", reason: "notYours", field: "accountId")
      }
      return own
    case .device, .anonymous:
      throw .permissionDenied("this needs a signed-in person", reason: "notSignedIn")
    case .key, .service:
      guard let named else { throw .invalidParams("accountId", "missing; a key names the account") }
      try Self.check(named, "accountId")
      return named
    }
  }

  /// The device the call is about, or nil where a key or a person's token names none.
  /// - Throws: PERMISSION_DENIED when another's device is named; INVALID_PARAMS when it is malformed.
  public func deviceId(_ named: String?) throws(RPCError) -> String? {
    switch principal.kind {
    case .user, .device:
      guard named == nil || named == principal.deviceId else {
        throw .permissionDenied("deviceId: another's device", reason: "notYours", field: "deviceId")
      }
      return principal.deviceId
    case .anonymous:
      throw .permissionDenied("this needs a device's or a person's token", reason: "notSignedIn")
    case .key, .service:
      if let named { try Self.check(named, "deviceId") }
      return named
    }
  }

  /// The account where there is one, else the device.
  /// - Throws: as `accountId(_:)` and `deviceId(_:)`; INVALID_PARAMS when a key names neither.
  public func subject(accountId named: String?, deviceId namedDevice: String?) throws(RPCError) -> Subject {
    switch principal.kind {
    case .user:
      _ = try deviceId(namedDevice)
      return .account(app, try accountId(named))
    case .device:
      guard named == nil else {
        throw .permissionDenied("accountId: a device has no account", reason: "notYours", field: "accountId")
      }
      guard let own = try deviceId(namedDevice) else { throw Self.incomplete }
      return .device(app, own)
    case .anonymous:
      throw .permissionDenied("this needs a device's or a person's token", reason: "notSignedIn")
    case .key, .service:
      if named != nil { return .account(app, try accountId(named)) }
      guard let device = try deviceId(namedDevice) else {
        throw .invalidParams("accountId", "missing; a key names the account or the device")
      }
      return .device(app, device)
    }
  }

  /// 1 to 128 of `A-Z a-z 0-9 . _ ~ : -`, and never an e-mail address.
  public static func check(_ id: String, _ field: String) throws(RPCError) {
    guard id.utf8.allSatisfy(isIDByte), (1...128).contains(id.utf8.count) else {
      throw .invalidParams(field, "must be 1 to 128 of A-Z a-z 0-9 . _ ~ : -")
    }
  }

  @inline(__always)
  private static func isIDByte(_ byte: UInt8) -> Bool {
    // A bit for each of the 128: figures, `-`, `.` and `:`; letters, `_` and `~`. A shift beyond 63 gives 0.
    let figures: UInt64 = 0x07ff_6000_0000_0000
    let letters: UInt64 = 0x47ff_fffe_87ff_fffe
    return (byte < 64 ? figures >> UInt64(byte) : letters >> UInt64(byte - 64)) & 1 == 1
  }

  private static let incomplete = RPCError.unauthenticated("the token names no subject")
}
