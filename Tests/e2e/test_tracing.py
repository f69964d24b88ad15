# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Traces from a client through gateway and services to a collector, and the log lines that belong to them."""

import hashlib
import hmac
import http.server
import json
import os
import pathlib
import random
import secrets
import socket
import subprocess
import threading
import time
import urllib.request

import pytest
import zmq
from conftest import ROOT, SERVICES, System
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


class Collector:
    """An OTLP/HTTP endpoint that reads what comes by OpenTelemetry's own schema, and may be told to be away."""

    def __init__(self):
        self.spans = []
        self.requests = []
        # Statuses of the next answers, before it takes what comes, and Retry-After of these.
        self.refusals = []
        self.lock = threading.Lock()
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with collector.lock:
                    collector.requests.append((time.monotonic(), self.path, dict(self.headers)))
                    refusal = collector.refusals.pop(0) if collector.refusals else None
                    if refusal is None:
                        collector.take(ExportTraceServiceRequest.FromString(body))
                status, headers = refusal or (200, {})
                answer = ExportTraceServiceResponse().SerializeToString()
                self.send_response(status)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", str(len(answer)))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, request):
        for resource_spans in request.resource_spans:
            resource = attributes(resource_spans.resource)
            for scope_spans in resource_spans.scope_spans:
                assert scope_spans.scope.name == "assent"
                for span in scope_spans.spans:
                    self.spans.append((resource, span))

    def of(self, trace, count, timeout=15):
        """The spans of a trace, once there are so many."""
        end = time.monotonic() + timeout
        while True:
            with self.lock:
                found = [(resource, span) for resource, span in self.spans if span.trace_id.hex() == trace]
            if len(found) >= count or time.monotonic() > end:
                assert len(found) == count
                return found
            time.sleep(0.05)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def attributes(holder):
    return {one.key: one.value.string_value for one in holder.attributes}


def traceparent(flags="01"):
    trace, span = secrets.token_hex(16), secrets.token_hex(8)
    return trace, span, f"00-{trace}-{span}-{flags}"


def reference(account):
    """What logs call an account, by the key that `started` gives the programs."""
    return hmac.new(b"\x07" * 32, b"default\x00a:" + account.encode(), hashlib.sha256).hexdigest()[:32]


def started(collector, tmp_path_factory, **more):
    key = tmp_path_factory.mktemp("key") / "log.key"
    key.touch(mode=0o600)
    key.write_text("07" * 32 + "\n")
    return System(environment={
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.port}",
        "OTEL_EXPORTER_OTLP_HEADERS": "x-tenant=shop%201", "OTEL_BSP_SCHEDULE_DELAY": "50",
        "OTEL_TRACES_SAMPLER": "parentbased_always_off", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test",
        "ASSENT_LOG_LEVEL": "debug", "ASSENT_LOG_KEY_FILE": str(key), **more}).start()


@pytest.fixture(scope="module")
def collector():
    collector = Collector()
    yield collector
    collector.stop()


@pytest.fixture(scope="module")
def traced(collector, tmp_path_factory):
    system = started(collector, tmp_path_factory)
    yield system
    system.stop()


def test_a_call_is_one_trace_from_the_client_to_the_service(traced, collector):
    person, account = traced.person()
    trace, span, header = traceparent()
    person.call("account.get", headers={"traceparent": header, "X-Request-Id": "trip-1"})
    by_service = {resource["service.name"]: one for resource, one in collector.of(trace, 2)}
    gateway, service = by_service["gateway"], by_service["account-service"]
    assert gateway.parent_span_id.hex() == span
    assert service.parent_span_id == gateway.span_id
    assert gateway.start_time_unix_nano <= service.start_time_unix_nano
    assert service.end_time_unix_nano <= gateway.end_time_unix_nano
    assert abs(gateway.start_time_unix_nano / 1e9 - time.time()) < 60
    for one in (gateway, service):
        assert one.name == "account.get" and one.kind == one.SPAN_KIND_SERVER and one.status.code == 0
        assert attributes(one) == {
            "rpc.system.name": "jsonrpc", "rpc.method": "account.get", "assent.request.id": "trip-1"}
        assert one.flags & 1


def test_what_the_gateway_composes_is_one_trace(traced, collector):
    person, _ = traced.person()
    trace, _, header = traceparent()
    person.call("settings.load", headers={"traceparent": header})
    end = time.monotonic() + 10
    while True:
        with collector.lock:
            found = [(resource["service.name"], span) for resource, span in collector.spans
                     if span.trace_id.hex() == trace]
        names = {name for name, _ in found}
        if names >= {"gateway", "account-service", "consent-service", "permission-service", "notification-prefs-service"}:
            break
        assert time.monotonic() < end, names
        time.sleep(0.05)
    root = next(span for name, span in found if name == "gateway")
    assert root.name == "settings.load"
    known = {span.span_id for _, span in found}
    assert all(span.parent_span_id in known for name, span in found if span is not root)


def test_a_failed_call_says_so_in_its_span_and_in_the_logs(traced, collector):
    person, account = traced.person(name="Zebulon Quux")
    trace, span, header = traceparent()
    error = person.error("account.rename", {"name": " "}, headers={"traceparent": header, "X-Request-Id": "trip-2"})
    assert error.data["requestId"] == "trip-2"
    for resource, one in collector.of(trace, 2):
        assert one.status.code == one.status.STATUS_CODE_ERROR
        assert attributes(one)["error.type"] == "INVALID_PARAMS"
        assert attributes(one)["rpc.response.status_code"] == "-32602"
    ref = reference(account)
    for name in ("gateway", "account-service"):
        lines = [json.loads(line) for line in traced.log(name).splitlines()]
        (line,) = [line for line in lines if line.get("traceId") == trace]
        assert line["severity"] == "DEBUG" and line["service"] == name and line["message"] == "a call failed"
        assert line["timestamp"].endswith("Z") and line["method"] == "account.rename"
        assert (line["requestId"], line["status"], line["subjectRef"]) == ("trip-2", "INVALID_PARAMS", ref)
        own = next(one for resource, one in collector.of(trace, 2) if resource["service.name"] == name)
        assert line["spanId"] == own.span_id.hex()


def test_a_key_s_failed_call_names_whom_it_is_about(traced):
    _, account = traced.person()
    trace, _, header = traceparent("00")
    traced.key("check").error(
        "consent.check", {"accountId": account, "category": "none"}, headers={"traceparent": header})
    (line,) = [line for line in map(json.loads, traced.log("gateway").splitlines()) if line.get("traceId") == trace]
    assert line["subjectRef"] == reference(account)
    assert account not in traced.log("gateway")


def test_over_zeromq_the_metadata_and_meta_carry_the_trace(traced, collector):
    person, account = traced.person()
    context = traced.zmq_context()
    dealer = context.socket(zmq.DEALER)
    dealer.linger = 0
    dealer.connect(traced.zmq_endpoint)
    body = {"jsonrpc": "2.0", "id": 1, "method": "account.get"}
    trace, span, header = traceparent()
    metadata = {"traceparent": header, "authorization": f"Bearer {person.token}", "requestId": "trip-3"}
    dealer.send_multipart([b"ASNT1", json.dumps(metadata).encode(), json.dumps(body).encode()])
    assert dealer.poll(5000) and b'"result"' in dealer.recv_multipart()[-1]
    spans = collector.of(trace, 2)
    assert {attributes(one)["assent.request.id"] for _, one in spans} == {"trip-3"}
    trace, span, header = traceparent()
    body["params"] = {"_meta": {"token": person.token, "traceparent": header}}
    dealer.send(json.dumps(body).encode())
    assert dealer.poll(5000) and b'"result"' in dealer.recv()
    assert next(one for resource, one in collector.of(trace, 2) if resource["service.name"] == "gateway"
                ).parent_span_id.hex() == span
    dealer.close()
    context.term()


BAD = ["00-" + "0" * 32 + "-00f067aa0ba902b7-01", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
       "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", "x", ""]


@pytest.mark.parametrize("header", [*BAD, None])
def test_without_a_good_traceparent_a_trace_is_begun(traced, header):
    person, _ = traced.person()
    error = person.error("account.rename", {"name": " "}, headers={"traceparent": header, "X-Request-Id": None})
    lines = {}
    for name in ("gateway", "account-service"):
        for line in map(json.loads, traced.log(name).splitlines()):
            if line.get("requestId") == error.data["requestId"]:
                lines[name] = line
    assert lines["gateway"]["traceId"] == lines["account-service"]["traceId"] != "4bf92f3577b34da6a3ce929d0e0e4736"
    assert lines["gateway"]["spanId"] != lines["account-service"]["spanId"]


def test_what_the_caller_does_not_sample_is_not_exported(traced, collector):
    person, _ = traced.person()
    trace, _, header = traceparent("00")
    person.call("account.get", headers={"traceparent": header})
    later, _, header = traceparent()
    person.call("account.get", headers={"traceparent": header})
    collector.of(later, 2)
    assert not [span for _, span in collector.spans if span.trace_id.hex() == trace]


def test_requests_are_as_the_protocol_says(traced, collector):
    person, _ = traced.person()
    trace, _, header = traceparent()
    person.call("account.get", headers={"traceparent": header})
    resource, _ = collector.of(trace, 2)[0]
    assert resource["deployment.environment.name"] == "test"
    assert resource["telemetry.sdk.language"] == "swift"
    _, path, headers = collector.requests[-1]
    assert path == "/v1/traces"
    assert headers["Content-Type"] == "application/x-protobuf"
    assert headers["x-tenant"] == "shop 1"


def test_a_collector_that_is_busy_gets_the_spans_again(traced, collector):
    person, _ = traced.person()
    trace, _, header = traceparent()
    with collector.lock:
        before = len(collector.requests)
        collector.refusals = [(503, {}), (503, {}), (429, {"Retry-After": "2"}), (429, {"Retry-After": "2"})]
    person.call("account.get", headers={"traceparent": header})
    # No call waits for the collector.
    begun = time.monotonic()
    for _ in range(50):
        person.call("account.get")
    assert time.monotonic() - begun < 5
    assert len(collector.of(trace, 2, timeout=30)) == 2
    assert len(collector.requests) - before >= 6


def test_a_refusal_for_good_is_not_repeated(traced, collector):
    person, _ = traced.person()
    trace, _, header = traceparent()
    with collector.lock:
        collector.refusals = [(400, {}), (400, {})]
    person.call("account.get", headers={"traceparent": header})
    deadline = time.monotonic() + 10
    while collector.refusals:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    later, _, header = traceparent()
    person.call("account.get", headers={"traceparent": header})
    collector.of(later, 2)
    assert not [span for _, span in collector.spans if span.trace_id.hex() == trace]
    with urllib.request.urlopen(f"{traced.url}/metrics") as page:
        assert 'assent_trace_spans_total{outcome="notExported"} 1\n' in page.read().decode()


def test_a_stop_sends_what_waits(collector, tmp_path_factory):
    system = started(collector, tmp_path_factory, OTEL_BSP_SCHEDULE_DELAY="60000", OTEL_SERVICE_NAME="same")
    try:
        person, _ = system.person()
        trace, _, header = traceparent()
        person.call("account.get", headers={"traceparent": header})
        time.sleep(0.3)
        assert not [span for _, span in collector.spans if span.trace_id.hex() == trace]
    finally:
        system.stop()
    assert {resource["service.name"] for resource, _ in collector.of(trace, 2, timeout=1)} == {"same"}


def test_logs_hold_no_personal_data(traced):
    person, account = traced.person(name="Zebulon Quux")
    person.call("settings.load")
    person.error("account.rename", {"name": ""})
    person.error("consent.check", {"category": account})
    traced.admin.error("account.get", {"accountId": "zebulon@example.com"})
    for name in SERVICES:
        log = traced.log(name)
        for word in (account, "Quux", "example.com", person.token, traced.credentials["adminKey"]):
            assert word not in log, (name, word)


# Arize Phoenix, a tracing backend with an OTLP receiver; deploy/test installs it.
PHOENIX = pathlib.Path(os.environ.get("ASSENT_TEST_PHOENIX") or ROOT / ".build" / "receiver" / "bin" / "phoenix")


def lasting_port():
    """A free port that the kernel gives to nobody: the backend takes long to start."""
    while True:
        port = random.randrange(20_000, 30_000)
        try:
            socket.create_server(("127.0.0.1", port)).close()
            return port
        except OSError:
            continue


@pytest.mark.skipif(not PHOENIX.exists(), reason="no tracing backend is installed: deploy/test installs one")
def test_a_backend_that_others_wrote_shows_the_whole_trace(tmp_path):
    port = lasting_port()
    environment = os.environ | {
        "PHOENIX_WORKING_DIR": str(tmp_path / "phoenix"), "PHOENIX_HOST": "127.0.0.1", "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(lasting_port()), "PHOENIX_TELEMETRY_ENABLED": "false"}
    with (tmp_path / "phoenix.log").open("wb") as log:
        backend = subprocess.Popen([str(PHOENIX), "serve"], env=environment, stdout=log, stderr=log)
    system = None

    def ask(path, patience):
        end = time.monotonic() + patience
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
                    return answer.read()
            except OSError:
                assert backend.poll() is None and time.monotonic() < end, (tmp_path / "phoenix.log").read_text()
                time.sleep(0.5)

    try:
        ask("/healthz", 600)
        system = System(environment={
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}", "OTEL_BSP_SCHEDULE_DELAY": "100",
            "OTEL_TRACES_SAMPLER": "parentbased_always_off"}).start()
        person, _ = system.person()
        trace, caller, header = traceparent()
        person.call("settings.load", headers={"traceparent": header})
        person.error("account.rename", {"name": " "}, headers={"traceparent": header})
        wanted = {"settings.load", "account.get", "account.blocked", "consent.get", "permission.list",
                  "notifications.get", "account.rename"}
        end = time.monotonic() + 60
        while True:
            shown = [span for span in json.loads(ask("/v1/projects/default/spans?limit=500", 10))["data"]
                     if span["context"]["trace_id"] == trace]
            if wanted <= {span["name"] for span in shown} and len(shown) >= 9:
                break
            assert time.monotonic() < end, sorted(span["name"] for span in shown)
            time.sleep(0.5)
        by_id = {span["context"]["span_id"]: span for span in shown}
        at_gateway = [span for span in shown if span["parent_id"] == caller]
        assert {span["name"] for span in at_gateway} == {"settings.load", "account.rename"}
        for span in shown:
            assert span["parent_id"] == caller or span["parent_id"] in by_id
            failed = span["name"] == "account.rename"
            assert span["status_code"] == ("ERROR" if failed else "UNSET")
            assert span["attributes"]["rpc.method"] == span["name"]
            assert span["attributes"].get("error.type") == ("INVALID_PARAMS" if failed else None)
    finally:
        if system:
            system.stop()
        backend.terminate()
        backend.wait(30)
