// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import ZeroMQ

/// A program's own key pairs as its key file holds them. The first is the one in use; a server still serves the others,
/// so that its clients need not all learn of a new one at once.
///
/// A line is `secret KEY` or `public KEY` (that of the secret above it), keys in Z85; lines that begin with `#` are notes.
public enum KeyPairFile {
  /// - Parameter path: for errors.
  /// - Throws: `KeyFileError`, which repeats nothing of the file.
  public static func pairs(in text: String, path: String) throws -> [CurveKeyPair] {
    var pairs: [CurveKeyPair] = []
    for line in KeyFileLine.lines(of: text) {
      switch (line.words[0], line.words.count) {
      case ("secret", 2):
        guard let secret = CurveSecretKey(z85: line.words[1]) else {
          throw KeyFileError(path, line.number, "the key is not 40 characters of Z85")
        }
        pairs.append(try CurveKeyPair(secretKey: secret))
      case ("public", 2):
        guard let pair = pairs.last, CurvePublicKey(z85: line.words[1]) == pair.publicKey else {
          throw KeyFileError(path, line.number, "not the public half of the secret key above it")
        }
      default: throw KeyFileError(path, line.number, "must be: secret KEY, or: public KEY")
      }
    }
    guard !pairs.isEmpty else { throw KeyFileError(path, nil, "holds no key") }
    return pairs
  }

  /// - Parameter note: what the pairs are for; one line.
  public static func text(_ pairs: [CurveKeyPair], note: String) -> String {
    "# \(note)\n" + pairs.map { "secret \($0.secretKey.z85)\npublic \($0.publicKey.z85)\n" }.joined()
  }
}

/// A key or peers file that cannot be used.
public struct KeyFileError: Error, Sendable, Equatable, CustomStringConvertible {
  public let description: String

  init(_ path: String, _ line: Int?, _ problem: String) {
    description = line.map { "\(path), line \($0): \(problem)" } ?? "\(path): \(problem)"
  }
}

/// A line that says something, cut at its spaces.
struct KeyFileLine {
  let number: Int
  /// At least one.
  let words: [Substring]

  static func lines(of text: String) -> [KeyFileLine] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated().compactMap { index, line in
      let words = line.split { $0 == " " || $0 == "\t" }
      guard !words.isEmpty, !line.hasPrefix("#") else { return nil }
      return KeyFileLine(number: index + 1, words: words)
    }
  }
}
