// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import RPC

/// Writes replies' metadata, and remembers what it wrote last: the replies of one millisecond say the same, failures apart.
struct ReplyMetadataTexts {
  private var metadata: ReplyMetadata?
  private var text: [UInt8] = []

  mutating func text(of metadata: ReplyMetadata) -> [UInt8] {
    if self.metadata == metadata { return text }
    text = []
    text.reserveCapacity(96)
    metadata.append(to: &text)
    self.metadata = metadata
    return text
  }
}
