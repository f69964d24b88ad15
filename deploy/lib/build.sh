#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
# The release build.

# ASSENT_BIN_DIR: programs built elsewhere, used as they are.
bin=${ASSENT_BIN_DIR:-$root/.build/release}
programs=(account-service audit-service consent-service permission-service notification-prefs-service gateway)

# fail TEXT: says why and ends with status 1.
fail() {
  echo "assent: $*" >&2
  exit 1
}

# build_release: the six programs and assentctl in $root/.build/release, statically linked with the Swift runtime and
# stripped; what is not used is left out, which the linker cannot know of names that it exports. Nothing is started when no
# source, nor this script with its options, is newer than the last build, so that a restart costs no build.
build_release() {
  [ -z "${ASSENT_BIN_DIR:-}" ] || return 0
  command -v swift >/dev/null || fail "no Swift toolchain: install Swift 6.2 or newer and put it on PATH"
  local stamp=$root/.build/release.stamp
  if [ -f "$stamp" ] && [ -z "$(find "$root/Sources" "$root/Services" "$root/Package.swift" "$root/deploy/lib/build.sh" \
    -newer "$stamp" -print -quit)" ]; then
    return 0
  fi
  echo "assent: building (the first time takes some minutes)"
  local begun=$root/.build/release.begun
  mkdir -p "$root/.build"
  touch "$begun"
  swift build --package-path "$root" -c release --static-swift-stdlib -Xlinker -s -Xlinker --no-export-dynamic --quiet ||
    fail "the build failed"
  mv "$begun" "$stamp"
}
