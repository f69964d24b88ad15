# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""What operators see: metrics that Prometheus itself reads, a dashboard and alert rules made of metrics that exist."""

import contextlib
import http.client
import json
import os
import re
import resource
import socket
import sqlite3
import subprocess
import time
import urllib.parse
import urllib.request

import pytest
import yaml
from conftest import BINARIES, ROOT, SERVICES, System, eventually, free_port, pause
from prometheus_client.parser import text_string_to_metric_families

FOLDER = ROOT / "deploy" / "observability"
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text())
RULES = [rule for group in yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"] for rule in group["rules"]]


def expressions():
    """Every PromQL expression by what it is of, Grafana's variables filled in."""
    found = {}
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", []):
            text = target["expr"].replace("$__rate_interval", "1m").replace("$service", ".*").replace("$method", ".*")
            found[f"{panel['title']} {target['refId']}"] = text
    return found | {rule["alert"]: rule["expr"] for rule in RULES}


EXPRESSIONS = expressions()


def names(expression):
    """The metrics that an expression selects."""
    expression = re.sub(r"\bby \([^)]*\)", "", expression)
    return set(re.findall(r"\b(?:assent|rpc|http|process)_[a-z_]+(?=\{|\[|\)| |$)", expression)) | (
        {"up"} if re.search(r"\bup\b", expression) else set())


def free_ports(count):
    """The first of so many free ports that follow each other."""
    while True:
        first = free_port()
        try:
            held = []
            for port in range(first, first + count):
                held.append(socket.create_server(("127.0.0.1", port)))
            return first
        except OSError:
            continue
        finally:
            for one in held:
                one.close()


def get(port, path, connection=None):
    connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path)
    response = connection.getresponse()
    return response.status, response.headers, response.read().decode()


@pytest.fixture(scope="module")
def watched():
    """The six programs with metrics ports, after some traffic of every kind."""
    first = free_ports(6)
    system = System(environment={"ASSENT_METRICS_PORT": str(first)})
    system.ports = {name: first + index for index, name in enumerate([
        "account-service", "audit-service", "consent-service", "permission-service", "notification-prefs-service",
        "gateway"])}
    system.start()
    person, account = system.person()
    person.call("settings.load")
    policy = person.call("consent.catalog")["policyVersion"]
    person.call("consent.grantAll", {"policyVersion": policy, "context": {"appVersion": "1", "osVersion": "1"}})
    checker = system.key("check", "decide")
    for _ in range(20):
        checker.call("consent.check", {"accountId": account, "category": "analytics"})
    checker.error("consent.check", {"accountId": account, "category": "no such"})
    checker.error("no.such.method.a")
    checker.error("no.such.method.b")
    system.client("nonsense").error("account.get")
    yield system
    system.stop()


def scrape(system, name):
    status, headers, text = get(system.ports[name], "/metrics")
    assert status == 200
    assert headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return text


@pytest.mark.parametrize("name", SERVICES)
def test_metrics_are_what_prometheus_reads(watched, name):
    text = scrape(watched, name)
    families = {family.name: family for family in text_string_to_metric_families(text)}
    calls = families["rpc_server_call_duration_seconds"]
    assert calls.type == "histogram" and calls.samples
    for family in families.values():
        assert family.documentation
        if family.type == "histogram":
            check_histogram(family)
    lint = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, capture_output=True)
    assert (lint.returncode, lint.stdout + lint.stderr) == (0, "")


def check_histogram(family):
    series = {}
    for sample in family.samples:
        labels = tuple(sorted((name, value) for name, value in sample.labels.items() if name != "le"))
        kind = sample.name[len(family.name):]
        if kind == "_bucket":
            series.setdefault(labels, {}).setdefault("buckets", []).append((float(sample.labels["le"]), sample.value))
        else:
            series.setdefault(labels, {})[kind] = sample.value
    for parts in series.values():
        counts = [count for _, count in parts["buckets"]]
        assert counts == sorted(counts) and parts["buckets"] == sorted(parts["buckets"])
        assert parts["buckets"][-1] == (float("inf"), parts["_count"])
        assert parts["_sum"] >= 0


def value(text, name, **labels):
    """The sum of the samples of that name with these labels."""
    total = None
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == name and labels.items() <= sample.labels.items():
                total = (total or 0) + sample.value
    return total


def test_calls_are_counted_by_method_and_status(watched):
    at_gateway, at_service = scrape(watched, "gateway"), scrape(watched, "consent-service")
    count = "rpc_server_call_duration_seconds_count"
    for text in (at_gateway, at_service):
        assert value(text, count, rpc_method="consent.check") == 21
        assert value(text, count, rpc_method="consent.check", error_type="INVALID_PARAMS",
                     rpc_response_status_code="-32602") == 1
        assert value(text, "rpc_server_active_requests", rpc_method="consent.check") == 0
    # Whatever callers make up is one series.
    assert value(at_gateway, count, rpc_method="_OTHER", error_type="METHOD_NOT_FOUND") == 2
    assert "no.such.method" not in at_gateway
    assert value(at_gateway, "http_server_request_duration_seconds_count", http_route="/rpc",
                 http_request_method="POST", http_response_status_code="200") > 20
    assert value(at_gateway, "http_server_request_duration_seconds_count", http_response_status_code="401") == 1
    assert value(at_gateway, "assent_auth_failures_total", reason="unknownCredential") == 1
    assert 0 <= value(at_gateway, "assent_auth_staleness_seconds") < 2


def test_what_became_of_writes_is_counted(watched):
    text = scrape(watched, "consent-service")
    assert value(text, "assent_store_writes_total") >= value(text, "assent_store_commits_total") >= 1
    assert value(text, "assent_store_group_size_count") >= 1
    assert value(text, "assent_store_queue_depth") == 0
    assert value(text, "assent_outbox_oldest_age_seconds", subscriber="audit-service") is not None
    assert value(text, "assent_outbox_rows", subscriber="audit-service") is not None
    assert value(scrape(watched, "audit-service"), "assent_audit_entries_total") >= 1


@pytest.mark.parametrize("name", SERVICES)
def test_the_port_tells_probes_too(watched, name):
    assert get(watched.ports[name], "/health/live")[0] == 200
    assert get(watched.ports[name], "/health/ready")[0] == 200
    assert get(watched.ports[name], "/")[0] == 404
    assert get(watched.ports[name], "/rpc")[0] == 404


def test_stats_have_the_same_numbers(watched):
    stats = watched.admin.call("rpc.stats")
    assert stats["metrics"]["assent_auth_failures_total{reason=\"unknownCredential\"}"] == 1
    method = next(one for one in stats["methods"] if one["name"] == "consent.check")
    assert (method["calls"], method["errors"], method["errorsByStatus"]) == (21, 1, {"INVALID_PARAMS": 1})


def test_nothing_is_shown_of_persons_in_metrics(watched):
    person, account = watched.person(name="Zebulon Quux")
    person.call("settings.load")
    for name in SERVICES:
        text = scrape(watched, name)
        assert account not in text and "Quux" not in text and person.token not in text


@pytest.mark.parametrize("place", EXPRESSIONS)
def test_every_metric_of_dashboard_and_rules_exists(watched, place):
    wanted = names(EXPRESSIONS[place]) - {"up"}
    assert wanted or place in ("AssentProgramDown", "AssentProgramGone")
    there = set()
    for name in SERVICES:
        for family in text_string_to_metric_families(scrape(watched, name)):
            there.add(family.name + ("_total" if family.type == "counter" else ""))
            there.update(sample.name for sample in family.samples)
    assert wanted <= there


@pytest.fixture(scope="module")
def prometheus(watched, tmp_path_factory):
    """Debian's Prometheus with our rules, scraping the six programs."""
    folder = tmp_path_factory.mktemp("prometheus")
    port = free_port()
    configuration = yaml.safe_load((FOLDER / "prometheus.yml").read_text())
    configuration["rule_files"] = [str(FOLDER / "alerts.yml")]
    configuration["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    job = configuration["scrape_configs"][0]
    del job["dns_sd_configs"], job["relabel_configs"]
    job["static_configs"] = [
        {"targets": [f"127.0.0.1:{port}"], "labels": {"service": name}} for name, port in watched.ports.items()]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(configuration))
    process = subprocess.Popen(
        ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
         f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"])

    def ask(query):
        url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
        with urllib.request.urlopen(url, timeout=10) as response:
            answer = json.load(response)
        assert answer["status"] == "success"
        return answer["data"]["result"]

    try:
        end = time.monotonic() + 60
        while True:
            try:
                if len(ask("up == 1")) == 6 and len(ask("count_over_time(assent_ready[1m]) > 2")) == 6:
                    break
            except OSError:
                pass
            assert time.monotonic() < end and process.poll() is None, "Prometheus has not scraped all"
            time.sleep(0.2)
        yield ask
    finally:
        process.terminate()
        process.wait(20)


@pytest.mark.parametrize("place", [place for place in EXPRESSIONS if not place.startswith("Assent")])
def test_prometheus_answers_every_panel(prometheus, place):
    # Of what has never failed there is nothing to show.
    quiet = place.startswith(("Failed calls",))
    assert prometheus(EXPRESSIONS[place]) or quiet


def test_no_alert_fires_when_nothing_is_wrong(prometheus):
    assert prometheus('ALERTS{alertstate="firing"}') == []


def test_rules_and_their_tests_hold():
    for command in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts.test.yml"],
                    ["check", "config", "prometheus.yml"]):
        done = subprocess.run(["promtool", *command], cwd=FOLDER, text=True, capture_output=True)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_every_rule_is_tested_and_says_what_to_do(rule):
    assert rule["alert"] in (FOLDER / "alerts.test.yml").read_text()
    assert rule["labels"]["severity"] in ("page", "ticket")
    assert len(rule["annotations"]["description"]) > 40 and rule["annotations"]["summary"]


def test_the_dashboard_can_be_imported_anywhere():
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))
    variables = {variable["name"]: variable for variable in DASHBOARD["templating"]["list"]}
    assert variables["datasource"]["type"] == "datasource"
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", []):
            assert target["datasource"]["uid"] == "${datasource}"
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        for other in DASHBOARD["panels"]:
            there = other["gridPos"]
            overlaps = (place["x"] < there["x"] + there["w"] and there["x"] < place["x"] + place["w"]
                        and place["y"] < there["y"] + there["h"] and there["y"] < place["y"] + place["h"])
            assert other is panel or not overlaps


@pytest.fixture
def consent_service(tmp_path):
    """Starts consent-service alone, as often as wanted, and gives it with its metrics port and that of its bus."""
    started = []

    def start():
        port, metrics = free_port(), free_port()
        environment = {name: text for name, text in os.environ.items() if not name.startswith("ASSENT_")}
        environment |= {
            "ASSENT_DATA_DIR": str(tmp_path), "ASSENT_BUS_DIR": str(tmp_path), "ASSENT_DRAIN_SECONDS": "0",
            "ASSENT_CONSENT_SERVICE_ENDPOINT": f"tcp://127.0.0.1:{port}", "ASSENT_METRICS_LISTEN": str(metrics)}
        started.append(subprocess.Popen(
            [str(BINARIES / "consent-service")], env=environment, stderr=subprocess.DEVNULL))
        return started[-1], metrics, port

    yield start
    for process in started:
        process.kill()
        process.wait(20)


def test_a_service_that_waits_for_its_recovery_is_alive_and_one_that_hangs_is_not(consent_service, tmp_path):
    process, metrics, _ = consent_service()
    eventually(lambda: get(metrics, "/health/live")[0] == 200, timeout=20)
    process.terminate()
    process.wait(20)
    with contextlib.closing(sqlite3.connect(tmp_path / "consent-service.db")) as store, store:
        store.execute("INSERT INTO store_meta (name, value) VALUES ('restored', '1')")
    process, metrics, port = consent_service()
    eventually(lambda: get(metrics, "/health/live")[0] == 200, timeout=20)
    assert get(metrics, "/health/ready")[0] == 503
    pause(process.pid)
    # The kernel, or libzmq's thread, takes connections for a program that hangs; nobody answers a request for it.
    socket.create_connection(("127.0.0.1", port), timeout=5).close()
    with pytest.raises(TimeoutError):
        get(metrics, "/health/live", http.client.HTTPConnection("127.0.0.1", metrics, timeout=1))


def test_connections_that_find_no_descriptor_are_counted(tmp_path):
    port, metrics = free_port(), free_port()
    environment = {name: text for name, text in os.environ.items() if not name.startswith("ASSENT_")}
    environment |= {
        "ASSENT_DATA_DIR": str(tmp_path), "ASSENT_BUS_DIR": str(tmp_path), "ASSENT_DRAIN_SECONDS": "0",
        "ASSENT_AUDIT_SERVICE_ENDPOINT": f"tcp://127.0.0.1:{port}", "ASSENT_METRICS_LISTEN": str(metrics)}
    process = subprocess.Popen([str(BINARIES / "audit-service")], env=environment, stderr=subprocess.DEVNULL)
    strangers = []
    try:
        connection = http.client.HTTPConnection("127.0.0.1", metrics, timeout=10)
        end = time.monotonic() + 20
        while True:
            try:
                if get(metrics, "/health/ready", connection)[0] == 200:
                    break
            except OSError:
                connection.close()
            assert time.monotonic() < end
            time.sleep(0.05)
        name = "assent_zeromq_accept_failures_total"
        assert value(get(metrics, "/metrics", connection)[2], name) == 0
        limit = len(os.listdir(f"/proc/{process.pid}/fd")) + 5
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (limit, limit))
        for _ in range(50):
            stranger = socket.socket()
            stranger.connect(("127.0.0.1", port))
            strangers.append(stranger)
        while value(get(metrics, "/metrics", connection)[2], name) == 0:
            assert time.monotonic() < end
            time.sleep(0.05)
    finally:
        for stranger in strangers:
            stranger.close()
        process.terminate()
        process.wait(20)
