# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""A plain JSON-RPC client over HTTP, which hides no more than any HTTP client does."""

import http.client
import json
import select
import socket

# The last part of the names of methods that change nothing.
READS = {
    "blocked", "catalog", "check", "checkMany", "currentDecisions", "discover", "entries", "get", "health", "history",
    "list", "load", "stats",
}
# The same of those whose last part means a write elsewhere.
READS_BY_NAME = {"notifications.decide", "notifications.decideMany"}


class RPCError(Exception):
    """A JSON-RPC error: code, message and data as the server gave them."""

    def __init__(self, error, status=200):
        super().__init__(f"{error.get('code')}: {error.get('message')} {error.get('data')}")
        self.code = error.get("code")
        self.message = error.get("message")
        self.data = error.get("data") or {}
        self.http_status = status

    @property
    def status(self):
        return self.data.get("status")

    @property
    def reason(self):
        return self.data.get("reason")


class Client:
    """JSON-RPC over HTTP on one kept-alive connection, with one credential.

    A call goes out a second time only where RFC 9110 (9.2.2, 9.3.1) lets a client do that unasked: its connection had
    answered before, closed before a byte of this answer, and the call reads or has an idempotency key. Whatever else
    happens to a connection is the caller's to see.
    """

    def __init__(self, port, token=None):
        self.port = port
        self.token = token
        self.connection = None
        # Calls that went out a second time.
        self.repeats = 0

    def connect(self, timeout):
        """A new connection."""
        made = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        made.connect()
        return made

    def post(self, body, headers=None, timeout=15):
        """Sends bytes or a JSON value; gives (HTTP status, headers, body bytes)."""
        if not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
        all_headers = {"Content-Type": "application/json"}
        if self.token:
            all_headers["Authorization"] = f"Bearer {self.token}"
        all_headers.update(headers or {})
        all_headers = {name: value for name, value in all_headers.items() if value is not None}
        is_kept_alive = self.connection is not None and is_open(self.connection)
        try:
            if not is_kept_alive:
                self.reconnect(timeout)
            if not self.send(body, all_headers, timeout):
                if not (is_kept_alive and may_repeat(body, all_headers)):
                    raise http.client.RemoteDisconnected("the connection ended before an answer began")
                self.repeats += 1
                self.reconnect(timeout)
                if not self.send(body, all_headers, timeout):
                    raise http.client.RemoteDisconnected("the connection ended before an answer began")
            response = self.connection.getresponse()
            return response.status, response.headers, response.read()
        except BaseException:
            self.close()
            raise

    def reconnect(self, timeout):
        self.close()
        self.connection = self.connect(timeout)

    def send(self, body, headers, timeout):
        """Whether an answer has begun."""
        self.connection.sock.settimeout(timeout)
        try:
            self.connection.request("POST", "/rpc", body, headers)
        except (BrokenPipeError, ConnectionResetError):
            # It may have answered before it stopped to read.
            pass
        try:
            return bool(self.connection.sock.recv(1, socket.MSG_PEEK))
        except ConnectionResetError:
            return False

    def call(self, method, params=None, headers=None, timeout=15):
        """The result, or RPCError."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method}
        if params is not None:
            request["params"] = params
        status, _, body = self.post(request, headers, timeout)
        reply = json.loads(body)
        if "error" in reply:
            raise RPCError(reply["error"], status)
        return reply["result"]

    def error(self, method, params=None, headers=None):
        """The error of a call that must fail."""
        try:
            result = self.call(method, params, headers)
        except RPCError as error:
            return error
        raise AssertionError(f"{method} succeeded: {result}")

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


def is_open(connection):
    """Whether the server has left a connection that nothing is under way on."""
    return connection.sock is not None and not select.select([connection.sock], [], [], 0)[0]


def may_repeat(body, headers):
    return "Idempotency-Key" in headers or only_reads(body)


def only_reads(body):
    try:
        calls = json.loads(body)
        names = [call["method"] for call in (calls if isinstance(calls, list) else [calls])]
    except (ValueError, TypeError, KeyError):
        return False
    return all(name.rpartition(".")[2] in READS or name in READS_BY_NAME for name in names)
