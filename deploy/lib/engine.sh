#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
# The Docker Engine, for the tests in containers.

engine_packages=(docker.io docker-compose debootstrap)
engine_pid=

engine_answers() { command -v docker >/dev/null && docker version >/dev/null 2>&1; }

# start_engine LOG: starts one where none answers; stop_engine ends it. Needs root.
start_engine() {
  engine_answers && return 0
  # In a session of its own: a Ctrl-C ends the tests first, which still need it to clean up.
  setsid dockerd >"$1" 2>&1 </dev/null &
  engine_pid=$!
  local tries
  for tries in $(seq 120); do
    engine_answers && return 0
    kill -0 "$engine_pid" 2>/dev/null || break
    sleep 0.5
  done
  tail -n 5 "$1" >&2
  fail "the Docker Engine did not start"
}

# stop_engine: the one that start_engine started.
stop_engine() {
  [ -n "$engine_pid" ] || return 0
  kill -TERM "$engine_pid" 2>/dev/null
  wait "$engine_pid" 2>/dev/null
  engine_pid=
}
