#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
# Starting, watching and stopping the six programs. Wants: $bin $data $bus $http_port $zmq_port, programs=().

declare -A pid_of=() started_at=() restart_at=() quick_ends=() log_begun=()
stopping=0

now_ms() { local t=${EPOCHREALTIME/./}; echo "${t%???}"; }

# metrics_port NAME: the programs' ports follow each other, in their order.
metrics_port() {
  local index
  for index in "${!programs[@]}"; do
    [ "${programs[index]}" != "$1" ] || echo $((ASSENT_METRICS_PORT + index))
  done
}

# start NAME: in a session of its own, so that Ctrl-C reaches this script alone, and with an end when this script ends.
start() {
  local name=$1
  log_begun[$name]=$(stat -c %s "$data/log/$name.log" 2>/dev/null || echo 0)
  local environment=()
  [ -z "${ASSENT_METRICS_PORT:-}" ] || environment=(ASSENT_METRICS_LISTEN="127.0.0.1:$(metrics_port "$name")")
  setsid setpriv --pdeathsig TERM env "${environment[@]}" "$bin/$name" >>"$data/log/$name.log" 2>&1 3>&- 9>&- &
  pid_of[$name]=$!
  started_at[$name]=$(now_ms)
  # Never seen half written.
  echo "${pid_of[$name]}" >"$data/run/$name.new" && mv "$data/run/$name.new" "$data/run/$name.pid"
}

# last_words NAME: the last line it logged, for an error text.
last_words() { tail -n 1 "$data/log/$1.log" 2>/dev/null; }

# closed_services: those that run and do not serve, because their store was restored from a backup.
closed_services() {
  local name
  for name in "${programs[@]}"; do
    tail -c "+$((${log_begun[$name]} + 1))" "$data/log/$name.log" 2>/dev/null |
      grep -q '"message":"not serving' && printf '%s ' "$name"
  done
}

# gateway_ready: whether GET /health/ready answers 200.
gateway_ready() {
  local line=
  { exec 8<>"/dev/tcp/127.0.0.1/$http_port"; } 2>/dev/null || return 1
  printf 'GET /health/ready HTTP/1.0\r\nHost: localhost\r\n\r\n' >&8
  read -r -t 2 line <&8
  exec 8<&- 8>&-
  [[ $line == *" 200 "* ]]
}

# wait_until_ready SECONDS: fails, with the reason, when a program ends or the time is up; waits on where an operator has
# to recover a service first.
wait_until_ready() {
  local end=$(($(now_ms) + $1 * 1000)) look=$(($(now_ms) + 3000)) name closed told=
  until gateway_ready; do
    [ "$stopping" = 1 ] && return 1
    for name in "${programs[@]}"; do
      kill -0 "${pid_of[$name]}" 2>/dev/null && continue
      echo "assent: $name could not start: $(last_words "$name")" >&2
      return 1
    done
    if [ -z "$told" ] && [ "$(now_ms)" -gt "$look" ]; then
      look=$(($(now_ms) + 1000))
      closed=$(closed_services)
      if [ -n "$closed" ]; then
        echo "assent: waiting for ${bin#"$PWD"/}/assentctl recover ${closed% } (restored from a backup)"
        told=1
      fi
    fi
    if [ -z "$told" ] && [ "$(now_ms)" -gt "$end" ]; then
      echo "assent: not ready after $1 s; see $data/log" >&2
      return 1
    fi
    sleep 0.02
  done
}

# watch: restarts what ends, until a signal asks to stop. At once the first time; a program that ends within five seconds
# of its start again and again rests before each further start, up to a second. The others go on.
watch() {
  local name status tick
  # Bash prints the line that started a child that a signal ended, in whatever command finds that out. note_end says it.
  exec 3>&2 2>/dev/null
  while [ "$stopping" = 0 ]; do
    tick=1
    for name in "${programs[@]}"; do
      if [ -n "${pid_of[$name]}" ] && ! kill -0 "${pid_of[$name]}" 2>/dev/null; then
        wait "${pid_of[$name]}"
        status=$?
        note_end "$name" "$status"
      fi
      [ -n "${pid_of[$name]}" ] && continue
      if [ "$(now_ms)" -ge "${restart_at[$name]}" ]; then start "$name"; else tick=0.1; fi
    done
    # Until one ends, or some time has gone by: bash forgets the jobs that ended while it was busy above.
    sleep "$tick" 3>&- 9>&- &
    wait -n ${pid_of[@]} $!
  done
  exec 2>&3 3>&-
  return 0
}

# note_end NAME STATUS: within watch, says that it ended and decides when it is started again.
note_end() {
  local name=$1 rests=(0 100 200 500 1000)
  if [ $(($(now_ms) - ${started_at[$name]})) -lt 5000 ]; then
    quick_ends[$name]=$((${quick_ends[$name]:-0} + 1))
  else
    quick_ends[$name]=1
  fi
  local rest=$((quick_ends[$name] - 1))
  [ "$rest" -le 4 ] || rest=4
  restart_at[$name]=$(($(now_ms) + ${rests[$rest]}))
  pid_of[$name]=
  local when=
  [ "$rest" = 0 ] || when=" in ${rests[$rest]} ms"
  echo "assent: $name ended ($(ended_how "$2")), restarting$when" >&3
}

ended_how() { if [ "$1" -gt 128 ]; then echo "signal $(($1 - 128))"; else echo "status $1"; fi; }

# stop_all: the gateway first, then the services that others' calls end in, then audit-service, which hears of what they did
# last; each by its own process id.
stop_all() {
  stop_together gateway
  stop_together consent-service permission-service notification-prefs-service account-service
  stop_together audit-service
}

# stop_together NAME…: those of them that run, at once; kills what has not ended after 10 s.
stop_together() {
  local end=$(($(now_ms) + 10000)) name
  for name in "$@"; do
    [ -z "${pid_of[$name]:-}" ] || kill -TERM "${pid_of[$name]}" 2>/dev/null
  done
  for name in "$@"; do
    [ -n "${pid_of[$name]:-}" ] || continue
    while kill -0 "${pid_of[$name]}" 2>/dev/null; do
      if [ "$(now_ms)" -gt "$end" ]; then
        echo "assent: $name did not stop in 10 s, killing it" >&2
        kill -KILL "${pid_of[$name]}" 2>/dev/null
        break
      fi
      sleep 0.02
    done
    wait "${pid_of[$name]}" 2>/dev/null
    rm -f "$data/run/$name.pid"
  done
}
