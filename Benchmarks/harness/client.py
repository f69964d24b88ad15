# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Calls to a gateway over HTTP, for setting the scene. Nothing measured goes through here."""

import http.client
import json

from .servers import Failure

LARGEST_BATCH = 100


class Client:
    def __init__(self, port: int, credential: str | None = None):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self._headers = {"Content-Type": "application/json"}
        if credential:
            self._headers["Authorization"] = f"Bearer {credential}"

    def call(self, method: str, params: dict) -> dict:
        return self._result(self._post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), method)

    def call_all(self, method: str, params: list[dict]) -> list[dict]:
        """One call for each, in batches; results in the same order."""
        results = []
        for start in range(0, len(params), LARGEST_BATCH):
            batch = [
                {"jsonrpc": "2.0", "id": i, "method": method, "params": each}
                for i, each in enumerate(params[start:start + LARGEST_BATCH])]
            replies = {reply["id"]: reply for reply in self._post(batch)}
            results += [self._result(replies[i], method) for i in range(len(batch))]
        return results

    def _post(self, message: object):
        self._connection.request("POST", "/rpc", json.dumps(message), self._headers)
        reply = self._connection.getresponse()
        return json.loads(reply.read())

    @staticmethod
    def _result(reply: dict, method: str) -> dict:
        if "result" not in reply:
            raise Failure(f"{method}: {json.dumps(reply.get('error'))}")
        return reply["result"]
