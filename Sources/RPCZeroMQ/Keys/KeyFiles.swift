// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ZeroMQ

/// Where a program's keys lie.
public struct KeyFiles: Sendable, Hashable {
  /// Its own pairs; see `KeyPairFile`.
  public let keys: String
  /// Those of others; see `PeerList`.
  public let peers: String

  public init(keys: String, peers: String) {
    self.keys = keys
    self.peers = peers
  }

  struct Contents: Sendable {
    var pairs: [CurveKeyPair]
    var peers: PeerList
  }

  /// Tells whether the files have changed without reading them.
  struct Fingerprint: Equatable, Sendable {
    private var values: [Int64] = []

    fileprivate init(_ files: KeyFiles) {
      for path in [files.keys, files.peers] {
        var status = stat()
        guard stat(path, &status) == 0 else {
          values.append(-1)
          continue
        }
        values += [
          Int64(bitPattern: UInt64(status.st_dev)), Int64(bitPattern: UInt64(status.st_ino)), Int64(status.st_size),
          Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
        ]
      }
    }
  }

  var fingerprint: Fingerprint { Fingerprint(self) }

  /// - Throws: `KeyFileError`.
  func read() throws -> Contents {
    Contents(
      pairs: try KeyPairFile.pairs(in: KeyFiles.text(of: keys), path: keys),
      peers: try PeerList(KeyFiles.text(of: peers), path: peers))
  }

  /// Whether others than its owner may read the key file. A mounted secret has its mode from elsewhere, so this is
  /// something to warn of, not to fail on.
  var isReadableByOthers: Bool {
    var status = stat()
    return stat(keys, &status) == 0 && status.st_mode & 0o077 != 0
  }

  /// Bytes; thousands of keys.
  private static let sizeLimit = 1 << 20

  private static func text(of path: String) throws(KeyFileError) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw KeyFileError(path, nil, String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw KeyFileError(path, nil, String(cString: strerror(errno))) }
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
      guard bytes.count <= sizeLimit else { throw KeyFileError(path, nil, "is larger than \(sizeLimit) bytes") }
    }
  }
}
