// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What JSON-RPC messages are refused for although they are JSON.
extension TapeReader {
  /// A member's name that the decoder never asked for, in any object below `root` that was decoded member by member.
  func firstUnknownMember(in root: Int) -> Int? {
    for index in root..<end(of: root) where tokens[index].kind == .object && tokens[index].has(.opened) {
      var name = index + 1
      while name < end(of: index) {
        if !tokens[name].has(.used), !tokens[name].has(.hidden) { return name }
        name = end(of: name + 1)
      }
    }
    return nil
  }

  /// A string below `root` whose text holds U+0000, which no store keeps.
  func firstNUL(in root: Int) -> Int? {
    guard storage.pointee.holdsNUL else { return nil }
    return (root..<end(of: root)).first { tokens[$0].has(.holdsNUL) }
  }

  /// The name of a member that stands in its object a second time, in any object below `root`.
  func firstDuplicate(in root: Int) -> Int? {
    for index in root..<end(of: root) where tokens[index].kind == .object {
      if let duplicate = duplicate(inObject: index) { return duplicate }
    }
    return nil
  }

  /// Few members are compared with one another where a mask of their hashes says that two may be equal; many, or such
  /// with escapes, go into a set, whose hashes nobody outside can foresee.
  private func duplicate(inObject object: Int) -> Int? {
    let end = end(of: object)
    var seen: UInt64 = 0
    var count = 0
    var name = object + 1
    while name < end {
      guard tokens[name].kind == .string, count < 32 else { return duplicateBySet(inObject: object) }
      let bit = 1 << (quickHash(name) & 63) as UInt64
      if seen & bit != 0 {
        let text = body(of: name)
        var earlier = object + 1
        while earlier < name {
          if isText(earlier, text) { return name }
          earlier = self.end(of: earlier + 1)
        }
      }
      seen |= bit
      count += 1
      name = self.end(of: name + 1)
    }
    return nil
  }

  @inline(__always) private func quickHash(_ name: Int) -> UInt64 {
    let text = body(of: name)
    guard let first = text.first, let last = text.last else { return 0 }
    return UInt64(first) &+ UInt64(last) &* 7 &+ UInt64(text[text.count >> 1]) &* 31 &+ UInt64(text.count) &* 13
  }

  private func duplicateBySet(inObject object: Int) -> Int? {
    var seen: Set<[UInt8]> = []
    var name = object + 1
    while name < end(of: object) {
      let text =
        tokens[name].kind == .string ? Array(body(of: name)) : Array(String(unescaping: body(of: name)).utf8)
      if !seen.insert(text).inserted { return name }
      name = end(of: name + 1)
    }
    return nil
  }
}
