# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""A second gateway beside a running system: its ZeroMQ face by CURVE, with keys of its own and the keys of two clients on
its list. It reaches the services by their sockets in the system's folder."""

import os
import subprocess
from pathlib import Path

from .servers import Server, free_port

CLIENTS = ("good", "hostile")


class CurveGateway(Server):
    def __init__(self, programs: Path, bus: Path, folder: Path, settings: dict[str, str] | None = None):
        """- Parameters:
        programs: the folder of the built programs.
        bus: the folder of the services' sockets.
        folder: for keys and log; made here."""
        folder.mkdir(mode=0o700)
        self._keys = folder / "keys"
        self._keys.mkdir()
        plain = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}
        for arguments in ([], *(["--client", name] for name in CLIENTS)):
            subprocess.run(
                [str(programs / "assentctl"), "keygen", "--deployment", str(self._keys), *arguments], check=True,
                capture_output=True, env=plain)
        self._port = free_port()
        environment = {
            **plain, "ASSENT_GATEWAY_LISTEN": "zmq", "ASSENT_ZMQ_ENDPOINT": self.endpoint, "ASSENT_BUS_DIR": str(bus),
            "ASSENT_CURVE_KEY_FILE": str(self._keys / "gateway/curve.key"),
            "ASSENT_CURVE_PEERS_FILE": str(self._keys / "gateway/curve.peers"), **(settings or {})}
        super().__init__([str(programs / "gateway")], folder / "log", env=environment)

    def wait(self) -> None:
        self.wait_until(lambda: '"serving"' in self.log_text())

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def endpoint(self) -> str:
        return f"tcp://127.0.0.1:{self._port}"

    @property
    def port(self) -> int:
        return self._port

    def client_keys(self, name: str = "good") -> dict[str, str]:
        """Whom a listed client must expect, and its own pair."""
        public, secret = self._pair(f"client-{name}")
        return {"server": self._pair("gateway")[0], "public": public, "secret": secret}

    def _pair(self, name: str) -> tuple[str, str]:
        words = dict(
            line.split()[:2] for line in (self._keys / name / "curve.key").read_text().splitlines()
            if line.startswith(("public ", "secret ")))
        return words["public"], words["secret"]
