# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""What passes on a network of containers, as somebody on the way would see it."""

import base64
import collections
import json
import subprocess

from .stack import docker

# Runs beside the engine, which may be another machine, in the image that has Python. Ends when its input does.
LISTENER = """
import base64, json, select, socket, struct, sys
PACKET, ADD_MEMBERSHIP, PROMISCUOUS, EVERY_PROTOCOL = 263, 1, 1, 3
wire = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(EVERY_PROTOCOL))
wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
wire.bind((sys.argv[1], 0))
member = struct.pack("iHH8s", socket.if_nametoindex(sys.argv[1]), PROMISCUOUS, 0, b"")
wire.setsockopt(PACKET, ADD_MEMBERSHIP, member)
print("listening", flush=True)
while True:
    ready, _, _ = select.select([wire, sys.stdin], [], [])
    if wire not in ready:
        break
    packet = wire.recv(1 << 17)
    if packet[0] >> 4 != 4 or packet[9] != socket.IPPROTO_TCP:
        continue
    segment = packet[(packet[0] & 15) * 4:struct.unpack("!H", packet[2:4])[0]]
    ports, data = struct.unpack("!HH", segment[:4]), segment[(segment[12] >> 4) * 4:]
    if data:
        ends = [socket.inet_ntoa(packet[12:16]), ports[0], socket.inet_ntoa(packet[16:20]), ports[1]]
        print(json.dumps([ends, base64.b64encode(data).decode()]), flush=True)
"""


class Capture:
    """Keeps, from when it is entered until it is left, what TCP carries over a network of the engine's."""

    def __init__(self, network):
        known = json.loads(docker("network", "inspect", network))[0]
        self.bridge = (known.get("Options") or {}).get("com.docker.network.bridge.name") or f"br-{known['Id'][:12]}"
        self.process = None
        # By the two ends of a direction.
        self.streams = collections.defaultdict(bytearray)

    def __enter__(self):
        self.process = subprocess.Popen(
            ["docker", "run", "--rm", "--interactive", "--network", "host", "--user", "0", "--cap-drop", "ALL"]
            + ["--cap-add", "NET_RAW", "--no-healthcheck", "--entrypoint", "python3", "assent/mail", "-c", LISTENER]
            + [self.bridge],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "listening\n"
        return self

    def __exit__(self, *failure):
        heard, _ = self.process.communicate(timeout=60)
        for line in heard.splitlines():
            ends, data = json.loads(line)
            self.streams[tuple(ends)] += base64.b64decode(data)

    def streams_of(self, port):
        """Each direction of each connection to that port."""
        return [bytes(data) for (_, source, _, target), data in self.streams.items() if port in (source, target)]
