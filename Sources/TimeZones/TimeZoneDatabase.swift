// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Threading

/// The zones of a folder of TZif files, each read once.
///
/// A zone that was read stays as it was until the process ends, as in most programs.
public final class TimeZoneDatabase: Sendable {
  /// The machine's: `TZDIR`, as libc reads it, or `/usr/share/zoneinfo`.
  public static let system = TimeZoneDatabase(
    directory: getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo")

  private let directory: String
  private let zones = Lock<[String: TimeZone]>([:])

  public init(directory: String) { self.directory = directory }

  /// Nil when there is no zone of that name.
  public func zone(named name: String) -> TimeZone? {
    if let zone = zones.withLock({ $0[name] }) { return zone }
    guard TimeZoneDatabase.isPlausible(name), let bytes = contents(of: "\(directory)/\(name)"),
      let table = TZifFile.parse(bytes)
    else { return nil }
    let zone = TimeZone(name: name, table: table)
    zones.withLock { $0[name] = zone }
    return zone
  }

  /// Whether `name` can be an IANA name: it stays inside the folder and means the same on every machine.
  static func isPlausible(_ name: String) -> Bool {
    guard 1...64 ~= name.utf8.count, !["localtime", "posixrules", "Factory"].contains(name) else { return false }
    let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty }), !parts[0].elementsEqual("posix".utf8),
      !parts[0].elementsEqual("right".utf8)
    else { return false }
    return parts.joined().allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
  }

  /// Nil for what is no regular file of at most 256 KiB.
  private func contents(of path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 1 << 18 else { return nil }
    let size = Int(status.st_size)
    var filled = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while filled < size {
        let received = read(file, buffer.baseAddress! + filled, size - filled)
        if received < 0, errno == EINTR { continue }
        guard received > 0 else { break }
        filled += received
      }
      count = filled
    }
    return filled == size ? bytes : nil
  }
}
