# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Clients that others wrote drive the gateway unchanged: tinyrpc, jsonrpc2-zeromq, pjrpc, and plain pyzmq sockets.

Each gets its credential through `_meta`, the only place that a client which sends nothing but a body has.
"""

import contextlib
import json
import uuid

import jsonrpc2_zeromq
import jsonrpc2_zeromq.common
import pjrpc
import pytest
import requests
import tinyrpc
import tinyrpc.protocols.jsonrpc
import tinyrpc.transports.http
import tinyrpc.transports.zmq
import zmq
from conftest import eventually
from pjrpc.client.backend import requests as pjrpc_requests

TIMEOUT_MS = 10_000


class Refused(Exception):
    """A JSON-RPC error, whatever the client made of it."""

    def __init__(self, code, data):
        super().__init__(f"{code} {data}")
        self.code = code
        self.data = data


def with_token(params, token):
    return {**params, "_meta": {"token": token}} if token else params


@contextlib.contextmanager
def socket(system, kind):
    context = system.zmq_context()
    made = context.socket(kind)
    made.setsockopt(zmq.LINGER, 0)
    made.setsockopt(zmq.RCVTIMEO, TIMEOUT_MS)
    made.connect(system.zmq_endpoint)
    try:
        yield made
    finally:
        made.close()
        context.term()


# Each way of calling: a context manager that gives call(method, params, token).


def tinyrpc_call(transport):
    client = tinyrpc.RPCClient(tinyrpc.protocols.jsonrpc.JSONRPCProtocol(), transport)

    def call(method, params, token=None):
        try:
            return client.call(method, [], with_token(params, token))
        except tinyrpc.protocols.jsonrpc.JSONRPCError as error:
            raise Refused(error._jsonrpc_error_code, error.data)

    return call


@contextlib.contextmanager
def tinyrpc_req(system):
    with socket(system, zmq.REQ) as made:
        yield tinyrpc_call(tinyrpc.transports.zmq.ZmqClientTransport(made, TIMEOUT_MS / 1000))


@contextlib.contextmanager
def tinyrpc_dealer(system):
    with socket(system, zmq.DEALER) as made:
        yield tinyrpc_call(tinyrpc.transports.zmq.ZmqClientTransport(made, TIMEOUT_MS / 1000))


@contextlib.contextmanager
def tinyrpc_http(system):
    yield tinyrpc_call(tinyrpc.transports.http.HttpPostClientTransport(f"{system.url}/rpc", timeout=TIMEOUT_MS / 1000))


@contextlib.contextmanager
def jsonrpc2_zeromq_req(system):
    context = system.zmq_context()
    client = jsonrpc2_zeromq.RPCClient(system.zmq_endpoint, context=context, timeout=TIMEOUT_MS)

    def call(method, params, token=None):
        try:
            return getattr(client, method)(**with_token(params, token))
        except jsonrpc2_zeromq.common.RPCError as error:
            # The client keeps no code of errors it does not know; the data says the status.
            raise Refused(error.error_code, error.error_data)

    yield call
    client.close()
    context.term()


@contextlib.contextmanager
def pjrpc_http(system):
    with pjrpc_requests.Client(f"{system.url}/rpc") as client:

        def call(method, params, token=None):
            try:
                if "method" not in params:
                    return client(method, **with_token(params, token))
                # The client's own argument has that name too, so such params go as a request object, in a batch.
                with client.batch() as batch:
                    batch.send(pjrpc.Request(method, with_token(params, token), id=1))
                return list(batch.get_results())[0]
            except pjrpc.client.exceptions.JsonRpcError as error:
                raise Refused(error.code, error.data)
            except requests.HTTPError as error:
                # It gives up on 401, 429 and the like before it reads the body, which says the same.
                error = error.response.json()["error"]
                raise Refused(error["code"], error["data"])

        yield call


def pyzmq_call(made, envelope):
    """Raw frames: `envelope` in front of each body, and expected in front of each reply."""

    def call(method, params, token=None):
        sent = str(uuid.uuid4())
        body = {"jsonrpc": "2.0", "id": sent, "method": method, "params": with_token(params, token)}
        made.send_multipart([*envelope, json.dumps(body).encode()])
        *route, reply = made.recv_multipart()
        assert route == envelope
        reply = json.loads(reply)
        assert reply["jsonrpc"] == "2.0" and reply["id"] == sent
        if "error" in reply:
            raise Refused(reply["error"]["code"], reply["error"]["data"])
        return reply["result"]

    return call


@contextlib.contextmanager
def pyzmq_req(system):
    with socket(system, zmq.REQ) as made:
        yield pyzmq_call(made, [])


@contextlib.contextmanager
def pyzmq_req_correlated(system):
    with socket(system, zmq.REQ) as made:
        made.setsockopt(zmq.REQ_CORRELATE, 1)
        made.setsockopt(zmq.REQ_RELAXED, 1)
        yield pyzmq_call(made, [])


@contextlib.contextmanager
def pyzmq_dealer(system):
    with socket(system, zmq.DEALER) as made:
        yield pyzmq_call(made, [])


@contextlib.contextmanager
def pyzmq_dealer_with_route(system):
    with socket(system, zmq.DEALER) as made:
        yield pyzmq_call(made, [b"any\x00route", b""])


CLIENTS = [
    tinyrpc_req,
    tinyrpc_dealer,
    tinyrpc_http,
    jsonrpc2_zeromq_req,
    pjrpc_http,
    pyzmq_req,
    pyzmq_req_correlated,
    pyzmq_dealer,
    pyzmq_dealer_with_route,
]


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.__name__)
def test_a_person_drives_the_consent_screen(system, client):
    person, account = system.person()
    checker = system.key("check").token
    with client(system) as call:
        screen = call("consent.get", {}, person.token)
        assert screen["needsConsent"] is True
        decided = call(
            "consent.decide",
            {
                "policyVersion": screen["policyVersion"],
                "decisions": {"analytics": True, "marketing": False},
                "method": "save",
                "context": {"appVersion": "2.1.0 é", "osVersion": "17.4"},
            },
            person.token,
        )
        assert {c["id"]: c["status"] for c in decided["categories"]}["analytics"] == "granted"

        allowed = call("consent.check", {"accountId": account, "category": "analytics"}, checker)
        assert allowed["allowed"] is True and allowed["reason"] == "granted"

        trail = call("audit.entries", {"after": decided["entryId"], "category": "analytics"}, person.token)
        assert trail["items"][0]["status"] == "granted" and trail["items"][0]["appVersion"] == "2.1.0 é"

        call("consent.denyAll", {"policyVersion": screen["policyVersion"], "context": {"appVersion": "2.1.0", "osVersion": "17.4"}}, person.token)
        refused = call("consent.check", {"accountId": account, "category": "analytics"}, checker)
        assert refused["allowed"] is False


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.__name__)
def test_an_error_arrives_with_its_data(system, client):
    person, _ = system.person()
    with client(system) as call:
        with pytest.raises(Refused) as refused:
            call("account.rename", {"name": " "}, person.token)
        assert refused.value.code == -32602
        assert refused.value.data["field"] == "name" and refused.value.data["display"] == "Enter your name."

        with pytest.raises(Refused) as refused:
            call("account.get", {}, None)
        assert refused.value.data["status"] == "UNAUTHENTICATED"

        with pytest.raises(Refused) as refused:
            call("account.nonsense", {}, person.token)
        assert refused.value.code == -32601


def test_jsonrpclib_s_content_type_is_taken(system):
    body = {"jsonrpc": "2.0", "id": "1", "method": "rpc.health"}
    for content_type in ["application/json-rpc", "application/json", None]:
        reply = requests.post(
            f"{system.url}/rpc",
            data=json.dumps(body).encode(),
            headers={"Content-Type": content_type} if content_type else {},
            timeout=10,
        )
        assert reply.status_code == 200 and reply.json()["result"]["status"] == "SERVING"


def test_a_tinyrpc_batch_is_answered_member_by_member(system):
    person, account = system.person()
    protocol = tinyrpc.protocols.jsonrpc.JSONRPCProtocol()
    with socket(system, zmq.REQ) as made:
        client = tinyrpc.RPCClient(protocol, tinyrpc.transports.zmq.ZmqClientTransport(made, TIMEOUT_MS / 1000))
        replies = client.batch_call(
            [
                ("account.get", [], with_token({}, person.token)),
                ("account.rename", [], with_token({"name": ""}, person.token)),
                ("consent.get", [], with_token({}, person.token)),
            ]
        )
    assert len(replies) == 3
    by_id = {reply.unique_id: reply for reply in replies}
    first, second, third = (by_id[number] for number in sorted(by_id))
    assert first.result["accountId"] == account
    assert second._jsonrpc_error_code == -32602
    assert third.result["needsConsent"] is True


def test_a_pjrpc_batch_gives_its_results_in_order(system):
    person, account = system.person()
    with pjrpc_requests.Client(f"{system.url}/rpc") as client:
        with client.batch() as batch:
            batch.call("account.get", **with_token({}, person.token))
            batch.call("consent.get", **with_token({}, person.token))
        profile, screen = batch.get_results()
    assert profile["accountId"] == account and screen["needsConsent"] is True


@pytest.mark.parametrize("kind", ["tinyrpc", "jsonrpc2-zeromq DEALER", "pyzmq REQ", "pyzmq DEALER"])
def test_a_notification_acts_and_leaves_the_socket_usable(system, kind):
    person, account = system.person()
    name = f"Grace {uuid.uuid4().hex[:8]}"
    params = with_token({"name": name}, person.token)
    get = {"jsonrpc": "2.0", "id": "next", "method": "account.get", "params": with_token({}, person.token)}
    rename = {"jsonrpc": "2.0", "method": "account.rename", "params": params}
    if kind == "tinyrpc":
        # Its one-way call over REQ waits for a reply: an empty frame.
        with socket(system, zmq.REQ) as made:
            transport = tinyrpc.transports.zmq.ZmqClientTransport(made, TIMEOUT_MS / 1000)
            client = tinyrpc.RPCClient(tinyrpc.protocols.jsonrpc.JSONRPCProtocol(), transport)
            client.call("account.rename", [], params, one_way=True)
            profile = client.call("account.get", [], with_token({}, person.token))
    elif kind == "jsonrpc2-zeromq DEALER":
        context = system.zmq_context()
        client = jsonrpc2_zeromq.RPCClient(
            system.zmq_endpoint, context=context, timeout=TIMEOUT_MS, socket_type=zmq.DEALER
        )
        getattr(client.notify, "account.rename")(**params)
        profile = getattr(client, "account.get")(**with_token({}, person.token))
        client.close()
        context.term()
    elif kind == "pyzmq REQ":
        with socket(system, zmq.REQ) as made:
            made.send(json.dumps(rename).encode())
            assert made.recv_multipart() == [b""]
            made.send(json.dumps(get).encode())
            profile = json.loads(made.recv())["result"]
    else:
        with socket(system, zmq.DEALER) as made:
            made.send(json.dumps(rename).encode())
            made.send(json.dumps(get).encode())
            # The first thing that comes back is the answer to the second message.
            reply = json.loads(made.recv())
            assert reply["id"] == "next"
            profile = reply["result"]
    # A notification and the call behind it may run side by side.
    if profile["name"] != name:
        eventually(lambda: person.call("account.get")["name"] == name)


def test_a_batch_of_calls_and_notifications_over_pyzmq(system):
    person, account = system.person()
    token = {"_meta": {"token": person.token}}
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "account.get", "params": token},
        {"jsonrpc": "2.0", "method": "consent.get", "params": token},
        {"jsonrpc": "2.0", "id": "two", "method": "no.such", "params": {}},
        {"foo": "bar"},
        1,
    ]
    with socket(system, zmq.REQ) as made:
        made.send(json.dumps(batch).encode())
        replies = json.loads(made.recv())
        assert len(replies) == 4
        assert [reply["id"] for reply in replies if reply.get("result")] == [1]
        assert sorted(str(reply["id"]) for reply in replies if "error" in reply) == ["None", "None", "two"]
        # A batch of notifications is answered with nothing, which to a REQ socket is an empty frame.
        made.send(json.dumps([{"jsonrpc": "2.0", "method": "consent.get", "params": token}]).encode())
        assert made.recv_multipart() == [b""]
        made.send(b"[]")
        assert json.loads(made.recv())["error"]["code"] == -32600


@pytest.mark.parametrize("id_text", ["9007199254740993", "1.5", "1e2", '"\\u00e9"', '"é"', "-0", "null", '""'])
def test_an_id_comes_back_as_it_was_sent(system, id_text):
    body = f'{{"jsonrpc":"2.0","id":{id_text},"method":"rpc.health"}}'.encode()
    with socket(system, zmq.DEALER) as made:
        made.send(body)
        assert f'"id":{id_text}'.encode() in made.recv()
    over_http = requests.post(f"{system.url}/rpc", data=body, timeout=10).content
    assert f'"id":{id_text}'.encode() in over_http


def test_credentials_may_travel_in_the_metadata_frame(system):
    person, account = system.person()
    metadata = {"authorization": f"Bearer {person.token}", "timeoutMs": 5000}
    body = b'{"jsonrpc":"2.0","id":1,"method":"account.get","params":{}}'
    with socket(system, zmq.DEALER) as made:
        made.send_multipart([b"correlation-16-by", b"ASNT1", json.dumps(metadata).encode(), body])
        correlation, marker, said, reply = made.recv_multipart()
        assert (correlation, marker) == (b"correlation-16-by", b"ASNT1")
        assert json.loads(said)["instance"]
        assert json.loads(reply)["result"]["accountId"] == account
        # A client cannot say who it is.
        forged = {"principal": {"kind": "key", "app": "default", "name": "x", "role": "admin"}}
        made.send_multipart([b"ASNT1", json.dumps(forged).encode(), b'{"jsonrpc":"2.0","id":2,"method":"key.list"}'])
        error = json.loads(made.recv_multipart()[-1])["error"]
        assert error["data"]["status"] in ("UNAUTHENTICATED", "PERMISSION_DENIED")
        # Metadata that cannot be read is said, and the socket goes on.
        made.send_multipart([b"ASNT1", b"{nonsense", body])
        assert json.loads(made.recv_multipart()[-1])["error"]["code"] == -32600
        made.send_multipart([b"ASNT1", json.dumps(metadata).encode(), body])
        assert json.loads(made.recv_multipart()[-1])["result"]["accountId"] == account


def test_many_calls_of_one_dealer_are_each_answered_once(system):
    person, account = system.person()
    # One caller may have 128 calls running.
    count = 120
    with socket(system, zmq.DEALER) as made:
        for number in range(count):
            body = {"jsonrpc": "2.0", "id": number, "method": "account.get", "params": with_token({}, person.token)}
            made.send(json.dumps(body).encode())
        replies = [json.loads(made.recv()) for _ in range(count)]
        assert sorted(reply["id"] for reply in replies) == list(range(count))
        assert not [reply["error"] for reply in replies if "error" in reply]
        assert all(reply["result"]["accountId"] == account for reply in replies)
        made.setsockopt(zmq.RCVTIMEO, 50)
        with pytest.raises(zmq.Again):
            made.recv()
