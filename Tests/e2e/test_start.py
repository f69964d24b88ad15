# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""What a service is asked while it starts without audit-service, which it waits for before it takes calls."""

import json
import os
import pathlib
import subprocess
import tempfile

import pytest
import zmq

from conftest import BINARIES

# A person's call of each.
SERVICES = {
    "account-service": "account.get", "consent-service": "consent.get", "notification-prefs-service": "notifications.get",
    "permission-service": "permission.list"}


class Alone:
    """A service without any other, and a client of it that is believed as the gateway is."""

    def __init__(self, name, data):
        self.folder = tempfile.TemporaryDirectory(prefix="assent-", dir="/tmp")
        self.process = subprocess.Popen(
            [str(BINARIES / name)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "ASSENT_DATA_DIR": str(data), "ASSENT_BUS_DIR": self.folder.name})
        self.context = zmq.Context()
        self.dealer = self.context.socket(zmq.DEALER)
        self.dealer.connect(f"ipc://{pathlib.Path(self.folder.name)}/{name}.sock")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.destroy(linger=0)
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def call(self, method):
        metadata = {"principal": {"kind": "user", "app": "default", "accountId": "maya", "deviceId": "d"}}
        self.dealer.send_multipart([
            b"ASNT1", json.dumps(metadata).encode(),
            json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}).encode()])
        assert self.dealer.poll(30_000), "no answer"
        frames = self.dealer.recv_multipart()
        return json.loads(frames[-1]), json.loads(frames[1])


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_says_how_it_is_before_it_knows_whether_it_may_serve(tmp_path, name):
    with Alone(name, tmp_path) as service:
        answer, metadata = service.call("rpc.health")
        assert answer["result"]["status"] == "NOT_SERVING"
        assert metadata["draining"] is True
        # A call now would be for a store that may be older than it should be.
        answer, metadata = service.call(SERVICES[name])
        assert answer["error"]["code"] == -32014
        assert answer["error"]["data"]["reason"] == "starting" and answer["error"]["data"]["processed"] is False
        assert metadata["refused"] is True
        while (answer := service.call("rpc.health"))[0]["result"]["status"] != "SERVING":
            pass
        assert "draining" not in answer[1]
        answer, metadata = service.call(SERVICES[name])
        assert "refused" not in metadata and answer.get("error", {}).get("code") != -32014
