// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// How the C library deals with memory that is let go of.
public enum Allocation {
  /// Blocks of 256 KiB and more go back to the system at once. By itself glibc takes the largest that was ever let go of,
  /// up to 32 MiB, as the measure of what to keep, so a program that held many large answers for a while stays as large.
  ///
  /// Call first in `main`. Source: mallopt(3), M_MMAP_THRESHOLD.
  public static func givesBackLargeBlocks() {
    _ = mallopt(M_MMAP_THRESHOLD, 256 << 10)
    // Setting one puts an end to adapting the other; less would mean system calls for what comes and goes.
    _ = mallopt(M_TRIM_THRESHOLD, 4 << 20)
  }
}
