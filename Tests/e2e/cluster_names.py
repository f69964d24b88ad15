# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""cluster_names.py RECORDS RESOLV_CONF COMMAND...: runs the command where names are what a cluster's DNS says.

In a network and a view of the file system of its own, so that nobody else sees it and nothing else answers. RECORDS is a JSON
object of full names, without the last dot, and their IPv4 addresses; RESOLV_CONF is the text of /etc/resolv.conf. Started
again inside by itself (--inside).
"""

import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading

A, NAME_ERROR = 1, 3


def reply(query, records):
    """RFC 1035, for a query with one question."""
    end = query.index(b"\0", 12) + 5
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]].decode())
        at += 1 + query[at]
    kind = struct.unpack("!H", query[end - 4:end - 2])[0]
    known = records.get(".".join(labels).lower())
    addresses = known if known and kind == A else []
    flags = 0x8580 | (NAME_ERROR if known is None else 0)
    head = query[:2] + struct.pack("!HHHHH", flags, 1, len(addresses), 0, 0)
    # The name by a pointer to the question's, class IN, five seconds.
    answers = b"".join(
        struct.pack("!HHHIH", 0xC00C, A, 1, 5, 4) + socket.inet_aton(address) for address in addresses)
    return head + query[12:end] + answers


def serve(server, records):
    while True:
        query, client = server.recvfrom(4096)
        server.sendto(reply(query, records), client)


def inside(records, resolv_conf, *command):
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(resolv_conf)
        file.flush()
        subprocess.run(["mount", "--bind", file.name, "/etc/resolv.conf"], check=True)
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("127.0.0.1", 53))
        threading.Thread(target=serve, args=(server, json.loads(records)), daemon=True).start()
        return subprocess.run(command).returncode


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        sys.exit(inside(*sys.argv[2:]))
    apart = ["unshare", "--map-root-user", "--mount", "--net"]
    os.execvp("unshare", [*apart, sys.executable, __file__, "--inside", *sys.argv[1:]])
