# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""One kind of hostile client as a process of its own, at a bounded rate.

    python -m clients.hostile FACE NAME TARGET

FACE is `http`, `listed` or `unlisted`; TARGET is JSON: `port`, `token` of a person, and for ZeroMQ `endpoint` and `keys`
(`server`, `public`, `secret`). Says `attacking` after the first acts; at SIGTERM stops and prints a line of JSON: how many
acts there were, and what they got.

The rate is bounded, because one that takes all of the machine's processors measures the machine: what an attack costs the
server must come from the server's own work."""

import json
import signal
import sys
import time

from . import hostile_http, hostile_zeromq

ATTACKS = {"http": hostile_http.ATTACKS, "listed": hostile_zeromq.LISTED, "unlisted": hostile_zeromq.UNLISTED}
FIRST_ACTS = 3


def main(face: str, name: str, target: dict) -> None:
    is_stopping = False

    def stop(*_):
        nonlocal is_stopping
        is_stopping = True

    signal.signal(signal.SIGTERM, stop)
    attack = ATTACKS[face][name](target)
    due = time.monotonic()
    while not is_stopping:
        attack.act()
        if attack.acts == FIRST_ACTS:
            print("attacking", flush=True)
        due = max(due + 1 / attack.rate, time.monotonic() - 0.1)
        time.sleep(max(0.0, due - time.monotonic()))
    attack.close()
    print(json.dumps({"acts": attack.acts, "seen": dict(attack.seen)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
