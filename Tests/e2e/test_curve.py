# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""CURVE on every link: the six programs on TCP with keys of assentctl keygen, and who gets in with which key."""

import json
import os
import signal
import socket
import stat
import subprocess
import threading
import time

import pytest
import zmq
from conftest import BINARIES, Client, eventually, free_port

SERVICES = [
    "account-service",
    "audit-service",
    "consent-service",
    "notification-prefs-service",
    "permission-service",
]


def variable(service):
    return f"ASSENT_{service.upper().replace('-', '_')}_ENDPOINT"


def plain_environment():
    return {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}


class CurveSystem:
    """The programs without deploy/up, as they run on machines of their own."""

    def __init__(self, folder):
        self.folder = folder
        self.keys = folder / "keys"
        self.keys.mkdir()
        self.ports = {name: free_port() for name in [*SERVICES, "gateway"]}
        self.http_port = free_port()
        self.processes = {}
        self.keygen()

    def keygen(self, *arguments):
        subprocess.run(
            [str(BINARIES / "assentctl"), "keygen", "--deployment", str(self.keys), *arguments],
            check=True, capture_output=True, env=plain_environment(), timeout=30)

    def endpoint(self, name):
        return f"tcp://127.0.0.1:{self.ports[name]}"

    def key_environment(self, name):
        return {
            "ASSENT_CURVE_KEY_FILE": str(self.keys / name / "curve.key"),
            "ASSENT_CURVE_PEERS_FILE": str(self.keys / name / "curve.peers"),
        }

    def start(self, name, **more):
        environment = {
            **plain_environment(),
            **self.key_environment(name),
            **{variable(service): self.endpoint(service) for service in SERVICES},
            "ASSENT_DATA_DIR": str(self.folder),
            "ASSENT_BOOTSTRAP_CREDENTIALS": str(self.folder / "credentials.json"),
            "ASSENT_ZMQ_ENDPOINT": self.endpoint("gateway"),
            "ASSENT_HTTP_PORT": str(self.http_port),
            **more,
        }
        with open(self.folder / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                [str(BINARIES / name)], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self.processes[name]

    def start_all(self):
        for name in [*SERVICES, "gateway"]:
            self.start(name)
        eventually(lambda: Client(self.http_port).call("rpc.health")["status"] == "SERVING", timeout=30)
        eventually(lambda: (self.folder / "credentials.json").exists())
        return self

    def stop(self):
        for process in self.processes.values():
            process.send_signal(signal.SIGTERM)
        for process in self.processes.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def log(self, name):
        return (self.folder / f"{name}.log").read_text()

    def reads(self, name):
        """How often it has read changed keys."""
        return self.log(name).count("keys read again")

    def credentials(self):
        return json.loads((self.folder / "credentials.json").read_text())

    def admin(self):
        return Client(self.http_port, self.credentials()["adminKey"])

    def pair(self, name):
        """(public, secret) of the pair in use."""
        words = [line.split() for line in (self.keys / name / "curve.key").read_text().splitlines()]
        values = [word[1].encode() for word in words if word[0] in ("secret", "public")]
        return values[1], values[0]

    def assentctl(self, *arguments, keys="operator", **environment):
        return subprocess.run(
            [str(BINARIES / "assentctl"), *arguments],
            env={**plain_environment(), **(self.key_environment(keys) if keys else {}), **environment},
            capture_output=True, text=True, timeout=30)


@pytest.fixture(scope="module")
def curve(tmp_path_factory):
    system = CurveSystem(tmp_path_factory.mktemp("curve"))
    system.keygen("--client", "partner")
    try:
        yield system.start_all()
    finally:
        system.stop()


class Caller:
    """A plain pyzmq DEALER with CURVE keys, or without."""

    def __init__(self, endpoint, server=None, pair=None):
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.linger = 0
        if server:
            self.socket.curve_serverkey = server
            self.socket.curve_publickey, self.socket.curve_secretkey = pair
        self.socket.connect(endpoint)

    def call(self, method, params=None, metadata=None, timeout=10_000):
        """The reply, or None when none comes."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}).encode()
        frames = [b"ASNT1", json.dumps(metadata).encode(), body] if metadata is not None else [body]
        self.socket.send_multipart(frames)
        if not self.socket.poll(timeout):
            return None
        return json.loads(self.socket.recv_multipart()[-1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.context.term()


def test_the_whole_flow_runs_over_curve(curve):
    admin = curve.admin()
    admin.call("account.create", {"accountId": "maya", "name": "Maya", "email": "maya@example.com"})
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    maya = Client(curve.http_port, admin.call("session.start", {"accountId": "maya", "authenticatedAt": now})["token"])
    policy = maya.call("consent.catalog")["policyVersion"]
    decided = maya.call(
        "consent.decide",
        {
            "policyVersion": policy, "decisions": {"analytics": True}, "method": "save",
            "context": {"appVersion": "2.4", "osVersion": "17.4"}})
    # The audit trail is another service's; consent.history asks it as consent-service.
    entries = maya.call("consent.history", {"after": decided["entryId"]})["items"]
    assert any(entry["entryId"] == decided["entryId"] for entry in entries)
    sections = maya.call("settings.load")
    assert all(section.get("ok") is not False for section in sections.values() if isinstance(section, dict))


def test_a_listed_client_calls_the_gateway_with_its_key_and_its_credential(curve):
    server = curve.pair("gateway")[0]
    with Caller(curve.endpoint("gateway"), server, curve.pair("client-partner")) as caller:
        assert "result" in caller.call("rpc.discover")
        assert caller.call("account.get")["error"]["code"] == -32016
        # The key opens the door and no more.
        assert caller.call("rpc.stats")["error"]["code"] == -32016
        token = curve.credentials()["adminKey"]
        assert "result" in caller.call("rpc.stats", {"_meta": {"token": token}})


def test_an_operators_key_is_worth_the_role_at_the_gateway_and_at_services(curve):
    pair = curve.pair("operator")
    for name in ["gateway", *SERVICES]:
        with Caller(curve.endpoint(name), curve.pair(name)[0], pair) as caller:
            for method in ("rpc.health", "rpc.stats", "rpc.discover"):
                assert "result" in caller.call(method), (name, method)
    with Caller(curve.endpoint("consent-service"), curve.pair("consent-service")[0], pair) as caller:
        assert caller.call("consent.get", {"accountId": "maya"})["error"]["code"] == -32007


@pytest.mark.parametrize("who", ["plain", "unlisted", "wrong server key", "client at a service", "service at the gateway"])
def test_whoever_has_not_the_right_keys_gets_no_answer(curve, who):
    name = "gateway" if who == "service at the gateway" else "consent-service"
    server, pair = curve.pair(name)[0], curve.pair("operator")
    if who == "plain":
        server = None
    elif who == "unlisted":
        pair = zmq.curve_keypair()
    elif who == "wrong server key":
        server = curve.pair("audit-service")[0]
    elif who == "client at a service":
        pair = curve.pair("client-partner")
    else:
        pair = curve.pair("audit-service")
    with Caller(curve.endpoint(name), server, pair) as caller:
        assert caller.call("rpc.health", timeout=1_000) is None
    assert curve.processes[name].poll() is None


def test_a_service_is_not_believed_about_who_calls(curve):
    server, pair = curve.pair("consent-service")[0], curve.pair("notification-prefs-service")
    person = {"kind": "user", "app": "default", "accountId": "maya", "deviceId": "d", "sessionId": "s"}
    with Caller(curve.endpoint("consent-service"), server, pair) as caller:
        for principal in (
            person,
            {"kind": "service", "app": "default", "name": "gateway"},
            {"kind": "service", "app": "default", "name": "account-service"},
            {"kind": "key", "app": "default", "name": "root", "role": "admin"},
        ):
            refused = caller.call("consent.get", {"accountId": "maya"}, {"principal": principal})
            assert refused["error"]["data"]["reason"] == "principalRefused", principal
        # As itself it may check, which is what it is there for, and nothing else.
        own = {"principal": {"kind": "service", "app": "default", "name": "notification-prefs-service"}}
        check = caller.call("consent.check", {"accountId": "maya", "category": "analytics"}, own)
        assert check["result"]["allowed"] is True
        refused = caller.call("consent.withdraw", {"accountId": "maya", "categories": ["analytics"]}, own)
        assert refused["error"]["code"] == -32007


def test_the_gateway_refuses_a_principal_from_every_client(curve):
    with Caller(curve.endpoint("gateway"), curve.pair("gateway")[0], curve.pair("client-partner")) as caller:
        refused = caller.call("rpc.health", metadata={"principal": {"kind": "user", "app": "default", "accountId": "maya"}})
        assert refused["error"]["data"]["reason"] == "principalRefused"


def test_assentctl_asks_a_service_for_its_health_with_the_operators_key(curve):
    ended = curve.assentctl("health", "--endpoint", curve.endpoint("consent-service"), "--server", "consent-service")
    assert ended.returncode == 0, ended.stderr
    assert "consent-service  SERVING" in ended.stdout
    ended = curve.assentctl("health", ASSENT_ENDPOINT=curve.endpoint("gateway"))
    assert ended.returncode == 0, ended.stderr
    # A program may look at itself, as its container does.
    ended = curve.assentctl(
        "health", "--timeout", "5s", keys="audit-service", ASSENT_ENDPOINT=curve.endpoint("audit-service"),
        ASSENT_SERVER="audit-service")
    assert ended.returncode == 0, ended.stderr
    refused = curve.assentctl("health", "--endpoint", curve.endpoint("consent-service"), "--timeout", "1s", keys=None)
    assert refused.returncode == 3
    refused = curve.assentctl("health", "--endpoint", curve.endpoint("consent-service"), "--timeout", "1s")
    assert refused.returncode == 3, "the gateway's key was expected there"


def test_a_recovery_and_a_backup_are_an_operators_alone(curve, tmp_path):
    where = ("--endpoint", curve.endpoint("consent-service"))
    ended = curve.assentctl("recover", "consent-service", *where)
    assert ended.returncode == 0 and "lacks nothing" in ended.stdout, ended.stderr
    ended = curve.assentctl("recover", "consent-service", **{variable("consent-service"): curve.endpoint("consent-service")})
    assert ended.returncode == 0, ended.stderr
    ended = curve.assentctl("backup", "consent-service", str(tmp_path / "copy.db"), *where)
    assert ended.returncode == 0 and (tmp_path / "copy.db").stat().st_size > 0, ended.stderr
    # Another service has a key that is let in, and is itself with it.
    for command in (["recover", "consent-service"], ["backup", "consent-service", str(tmp_path / "other.db")]):
        refused = curve.assentctl(*command, *where, keys="account-service")
        assert refused.returncode == 1 and "PERMISSION_DENIED" in refused.stderr, refused.stderr
    assert not (tmp_path / "other.db").exists()


def test_keys_are_files_for_their_owner_only_and_are_in_no_log(curve):
    for path in curve.keys.glob("*/curve.key"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        secret = path.read_text().split("secret ")[1].split()[0]
        for log in curve.folder.glob("*.log"):
            assert secret not in log.read_text()


def test_garbage_at_every_door_disturbs_nobody(curve):
    greeting = b"\xff" + b"\0" * 8 + b"\x7f\x03\x00CURVE" + b"\0" * 47
    for name, port in curve.ports.items():
        for garbage in (b"", b"\xff" * 5000, b"GET / HTTP/1.1\r\n\r\n", greeting, greeting + b"\x04\xc8\x05HELLO" + b"x" * 194):
            with socket.create_connection(("127.0.0.1", port), timeout=10) as stranger:
                stranger.sendall(garbage)
                try:
                    while stranger.recv(4096):
                        pass
                except ConnectionResetError:
                    pass
        assert curve.processes[name].poll() is None
    assert curve.admin().call("rpc.health")["status"] == "SERVING"


class Load(threading.Thread):
    """Reads through the gateway without a pause."""

    def __init__(self, curve):
        super().__init__()
        self.client = curve.admin()
        self.answered = 0
        self.failures = []
        self.ended = threading.Event()

    def run(self):
        while not self.ended.is_set():
            try:
                self.client.call("consent.check", {"accountId": "maya", "category": "analytics"})
                self.answered += 1
            except Exception as failure:
                self.failures.append(repr(failure))

    def go_on(self, calls=200):
        goal = self.answered + calls
        eventually(lambda: self.answered >= goal or self.failures, timeout=60)


@pytest.mark.parametrize("name", ["consent-service", "gateway"])
def test_a_pair_is_replaced_under_load_without_a_failed_call(curve, name):
    old = curve.pair(name)
    load = Load(curve)
    load.start()
    try:
        load.go_on()
        before = {program: curve.reads(program) for program in curve.processes}
        curve.keygen("--rotate", name)
        server = curve.pair("consent-service")[0]
        # Both ends have the new pair once it opens the door.
        eventually(lambda: answers(curve, server, curve.pair(name if name == "gateway" else "operator")), timeout=20)
        # All have read the lists with both keys before the old one is taken away, and had the time to move over.
        eventually(lambda: all(curve.reads(program) > count for program, count in before.items()), timeout=20)
        load.go_on(2000)
        curve.keygen("--retire", name)
        if name == "gateway":
            eventually(lambda: not answers(curve, server, old), timeout=20)
        load.go_on(500)
    finally:
        load.ended.set()
        load.join()
    assert load.failures == []


def answers(curve, server, pair):
    with Caller(curve.endpoint("consent-service"), server, pair) as caller:
        return caller.call("rpc.health", timeout=500) is not None


def test_a_key_taken_off_the_list_loses_its_connections(curve):
    curve.keygen("--client", "leaver")
    pair, server = curve.pair("client-leaver"), curve.pair("gateway")[0]

    def enters():
        with Caller(curve.endpoint("gateway"), server, pair) as caller:
            return caller.call("rpc.health", timeout=500) is not None

    eventually(enters, timeout=20)
    with Caller(curve.endpoint("gateway"), server, pair) as caller:
        assert "result" in caller.call("rpc.health")
        peers = curve.keys / "gateway" / "curve.peers"
        kept = [line for line in peers.read_text().splitlines(keepends=True) if "client:leaver" not in line]
        (peers.parent / "draft").write_text("".join(kept))
        os.rename(peers.parent / "draft", peers)
        eventually(lambda: caller.call("rpc.health").get("error", {}).get("data", {}).get("reason") == "keyRemoved")
    assert not enters()


@pytest.mark.parametrize("allowed", [False, True])
def test_without_keys_a_program_serves_off_the_loopback_only_when_that_is_allowed(tmp_path, allowed):
    environment = {
        **plain_environment(),
        **{variable(service): f"tcp://0.0.0.0:{free_port()}" for service in SERVICES},
        "ASSENT_DATA_DIR": str(tmp_path),
        **({"ASSENT_ALLOW_PLAINTEXT": "1"} if allowed else {}),
    }
    log = open(tmp_path / "log", "w+b")
    process = subprocess.Popen([str(BINARIES / "consent-service")], env=environment, stdout=log, stderr=log)
    try:
        if allowed:
            eventually(lambda: b'"serving"' in (tmp_path / "log").read_bytes())
            assert b'"severity":"WARN"' in (tmp_path / "log").read_bytes()
            assert b"ASSENT_ALLOW_PLAINTEXT" in (tmp_path / "log").read_bytes()
        else:
            assert process.wait(20) == 78
            assert b"plain text" in (tmp_path / "log").read_bytes()
    finally:
        process.kill()
        process.wait()


def test_a_program_with_half_its_keys_says_so(tmp_path):
    ended = subprocess.run(
        [str(BINARIES / "consent-service")],
        env={
            **plain_environment(), "ASSENT_DATA_DIR": str(tmp_path), "ASSENT_BUS_DIR": str(tmp_path),
            "ASSENT_CURVE_KEY_FILE": str(tmp_path / "none")},
        capture_output=True, text=True, timeout=30)
    assert ended.returncode == 78
    assert "ASSENT_CURVE_PEERS_FILE is not set" in ended.stderr


class RecordingProxy:
    """Stands before a port and keeps every byte that passes, of both directions."""

    def __init__(self, port):
        self.target = port
        self.recorded = bytearray()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
                upstream = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            for pair in ((client, upstream), (upstream, client)):
                threading.Thread(target=self.carry, args=pair, daemon=True).start()

    def carry(self, source, destination):
        try:
            while chunk := source.recv(65536):
                self.recorded += chunk
                destination.sendall(chunk)
            destination.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def test_faces_run_apart_and_nothing_between_programs_can_be_read(curve):
    proxies = {service: RecordingProxy(curve.ports[service]) for service in SERVICES}
    through = {variable(service): f"tcp://127.0.0.1:{proxy.port}" for service, proxy in proxies.items()}
    ports = {"http": free_port(), "zmq": free_port()}
    faces = []
    try:
        for face in ("http", "zmq"):
            environment = {
                **plain_environment(), **curve.key_environment("gateway"), **through,
                "ASSENT_GATEWAY_LISTEN": face, "ASSENT_HTTP_PORT": str(ports["http"]),
                "ASSENT_ZMQ_ENDPOINT": f"tcp://127.0.0.1:{ports['zmq']}",
            }
            with open(curve.folder / f"gateway-{face}.log", "ab") as log:
                faces.append(subprocess.Popen([str(BINARIES / "gateway")], env=environment, stdout=log, stderr=log))
        http = Client(ports["http"], curve.credentials()["adminKey"])
        eventually(lambda: http.call("rpc.health")["status"] == "SERVING", timeout=30)
        name = "Plain Words Between Programs"
        http.call("account.create", {"accountId": "ada", "name": name, "email": "ada@example.com"})
        assert http.call("account.get", {"accountId": "ada"})["name"] == name
        meta = {"_meta": {"token": curve.credentials()["adminKey"]}}
        with Caller(f"tcp://127.0.0.1:{ports['zmq']}", curve.pair("gateway")[0], curve.pair("client-partner")) as caller:
            found = caller.call("account.get", {"accountId": "ada", **meta})
            assert found["result"]["name"] == name
        with socket.socket() as probe:
            # The HTTP face's replica has no ZeroMQ port of its own: the one that answers is the other's.
            assert probe.connect_ex(("127.0.0.1", ports["http"])) == 0
        faces[0].send_signal(signal.SIGTERM)
        assert faces[0].wait(20) == 0
        with Caller(f"tcp://127.0.0.1:{ports['zmq']}", curve.pair("gateway")[0], curve.pair("client-partner")) as caller:
            assert "result" in caller.call("account.get", {"accountId": "ada", **meta})
    finally:
        for face in faces:
            face.kill()
            face.wait()
    recorded = b"".join(bytes(proxy.recorded) for proxy in proxies.values())
    assert len(recorded) > 5_000
    for words in (b"Plain Words", b"jsonrpc", b"account.get", b"principal", b"ada@example.com"):
        assert words not in recorded
