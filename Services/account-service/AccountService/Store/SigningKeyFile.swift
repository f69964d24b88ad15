// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Glibc
internal import JSONRPC

/// The file of signing keys, outside the database: whoever has only a copy of the database can make no tokens.
///
/// `{"keys": [{"seed": "…"}]}`, seeds in base64url, the signing key first. To replace the key, put a new one in front
/// and start again; take the old one away once its tokens have ended: access tokens in 15 minutes, sessions in 60 days.
struct SigningKeyFile: Sendable {
  let path: String

  private struct Contents: Codable {
    struct Key: Codable { var seed: String }
    var keys: [Key]
  }

  /// The keys, made at the first start.
  /// - Throws: `FileError`, also when others than the owner may read the file.
  func load() throws -> SigningKeys {
    if let bytes = try PrivateFile.read(path) { return try keys(bytes) }
    let (_, seed) = Ed25519.SigningKey.generate()
    let made = try JSON.encode(Contents(keys: [Contents.Key(seed: Base64URL.encode(seed))]))
    // Of two replicas that start at once, one file wins, and both read it.
    _ = try PrivateFile.create(path, made)
    guard let bytes = try PrivateFile.read(path) else { throw FileError(path: path, problem: "vanished") }
    return try keys(bytes)
  }

  private func keys(_ bytes: [UInt8]) throws -> SigningKeys {
    guard let contents = try? JSON.decode(Contents.self, from: bytes), !contents.keys.isEmpty else {
      throw FileError(path: path, problem: "is not a file of signing keys")
    }
    return SigningKeys(
      try contents.keys.map { key in
        guard let seed = Base64URL.decode(key.seed), let made = try? SigningKeys.Key(seed: seed) else {
          throw FileError(path: path, problem: "holds a key that is not 32 bytes in base64url")
        }
        return made
      })
  }
}
