#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
# Debian packages, installed only where they are missing.

# What building and running Assent needs; ARCHITECTURE.md says why each is there.
build_packages=(libpq-dev libzmq3-dev libcurl4-openssl-dev libmicrohttpd-dev libsodium-dev libsqlite3-dev tzdata)
# What the tests need on top.
test_packages=(postgresql pgbouncer prometheus python3 python3-venv curl strace sqlite3 openssl iproute2)

# install_missing NAME...
install_missing() {
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q '^install ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  echo "assent: installing ${missing[*]}"
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "these Debian packages are missing and need root to install: ${missing[*]}"
    sudo=(sudo)
  fi
  "${sudo[@]}" apt-get update -qq || fail "apt-get update failed"
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "installing ${missing[*]} failed"
}
