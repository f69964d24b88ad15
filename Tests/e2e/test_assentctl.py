# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""assentctl as an operator uses it, against a running system."""

import csv
import hashlib
import io
import json
import os
import stat
import subprocess
import uuid

import pytest
from conftest import BINARIES, eventually, free_port



@pytest.fixture
def assentctl(system):
    """Runs assentctl on the system; gives status, standard output and standard error."""

    def run(*arguments, input=None, token=None, **environment):
        variables = {
            name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")
        }
        variables["ASSENT_DATA_DIR"] = str(system.data)
        variables["ASSENT_ZMQ_PORT"] = str(system.zmq_port)
        if token:
            variables["ASSENT_TOKEN"] = token
        variables.update(environment)
        ended = subprocess.run(
            [str(BINARIES / "assentctl"), *arguments],
            env=variables,
            input=input,
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert system.credentials["adminKey"] not in ended.stderr
        return ended.returncode, ended.stdout, ended.stderr

    return run


def result(ended):
    status, out, err = ended
    assert status == 0, err
    return json.loads(out)


def test_help_needs_no_system(assentctl):
    for arguments in ([], ["call"], ["health"], ["methods"], ["key", "create"], ["session", "start"], ["audit", "export"]):
        status, out, _ = assentctl(*arguments, "--help", ASSENT_ZMQ_PORT="1")
        assert status == 0 and "Usage: assentctl" in out


def test_health_says_each_service(assentctl):
    status, out, _ = assentctl("health")
    assert status == 0
    for service in ("account-service", "consent-service", "audit-service"):
        assert service in out
    assert result(assentctl("health", "--json"))["status"] == "SERVING"


def test_methods_come_from_the_openrpc_document(assentctl):
    status, out, _ = assentctl("methods", "consent.")
    assert status == 0 and "consent.decide" in out and "account.get" not in out
    document = result(assentctl("methods", "--json"))
    assert {"consent.get", "audit.export"} <= {method["name"] for method in document["methods"]}


def test_a_person_is_signed_in_and_calls(assentctl, system, tmp_path):
    _, account = system.person()
    status, token, _ = assentctl("session", "start", "--account", account, "--token-only")
    assert status == 0
    profile = result(assentctl("call", "account.get", token=token.strip()))
    assert profile["accountId"] == account
    params = tmp_path / "params.json"
    params.write_text('{"name": "Grace"}')
    assert result(assentctl("call", "account.rename", f"@{params}", token=token.strip()))["name"] == "Grace"
    renamed = assentctl("call", "account.rename", "-", "--json", input='{"name":"Ada"}', token=token.strip())
    assert result(renamed)["name"] == "Ada" and renamed[1].count("\n") == 1


def test_an_idempotency_key_repeats_the_first_outcome(assentctl, system):
    _, account = system.person()
    start = ["call", "session.start", json.dumps({"accountId": account, "authenticatedAt": "2026-01-02T03:04:05.000Z"})]
    key = ["--idempotency-key", str(uuid.uuid4())]
    first, second = (assentctl(*start, *key) for _ in range(2))
    assert result(first)["sessionId"] == result(second)["sessionId"]


def test_a_key_is_made_and_used(assentctl, system):
    _, account = system.person()
    name = f"ctl-{uuid.uuid4()}"
    made = result(assentctl("key", "create", "--name", name, "--owner", "tests", "--scope", "check"))
    check = json.dumps({"accountId": account, "category": "essential"})
    assert result(assentctl("call", "consent.check", check, token=made["key"]))["allowed"] is True
    status, _, err = assentctl("call", "key.list", token=made["key"])
    assert status == 1 and "PERMISSION_DENIED" in err and made["key"] not in err


def test_errors_say_what_and_where(assentctl):
    status, out, err = assentctl("call", "consent.check", '{"category":"analytics","categroy":1}')
    assert status == 1 and out == ""
    assert "-32602 INVALID_PARAMS" in err and "categroy" in err and "requestId" in err
    status, _, err = assentctl("call", "consent.check", "{}", "--json")
    assert status == 1 and json.loads(err)["error"]["data"]["status"] == "INVALID_PARAMS"


def test_exit_statuses_tell_failures_apart(assentctl, tmp_path):
    assert assentctl("call", "consent.get", "nonsense")[0] == 2
    away = assentctl("health", "--timeout", "300ms", ASSENT_ZMQ_PORT=str(free_port()))
    assert away[0] == 3 and "deploy/up" in away[2]
    assert assentctl("call", "account.get", "--as", "admin", ASSENT_DATA_DIR=str(tmp_path))[0] == 4


def decide(person):
    screen = person.call("consent.setSubject", {"country": "DE"})
    return person.call(
        "consent.decide",
        {
            "policyVersion": screen["policyVersion"],
            "decisions": {"analytics": True, "marketing": False},
            "method": "save",
            "context": {"appVersion": "=2.1.0", "osVersion": "17.4"},
        },
    )["entryId"]


def test_an_audit_export_is_whole_in_every_format(assentctl, system, tmp_path):
    person, account = system.person()
    person.call("audit.entries", {"after": decide(person)})
    # Sources are not waited for together: what account-service says may come after what consent-service says.
    trail = {"accountId": account, "kind": "session.started"}
    eventually(lambda: system.admin.call("audit.entries", trail)["items"])
    of_account = ["audit", "export", "--account", account]

    path = tmp_path / "trail.json"
    assert assentctl(*of_account, "--output", str(path))[0] == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    entries = json.loads(path.read_text())
    assert entries[0]["kind"] == "audit.exported" and entries[0]["actor"].startswith("key:")
    analytics = next(entry for entry in entries if entry.get("category") == "analytics")
    assert analytics["status"] == "granted" and analytics["accountId"] == account
    assert list(analytics) == sorted(analytics)
    assert assentctl(*of_account, "--output", str(path))[0] == 2, "an export is never written over"

    _, lines, _ = assentctl(*of_account, "--format", "ndjson")
    assert [json.loads(line)["entryId"] for line in lines.splitlines()][2:] == [entry["entryId"] for entry in entries][1:]

    _, table, _ = assentctl(*of_account, "--format", "csv", "--kind", "consent.*")
    rows = list(csv.DictReader(io.StringIO(table)))
    assert {row["category"]: row["status"] for row in rows if row["category"]}["marketing"] == "denied"
    assert {row["appVersion"] for row in rows if row["category"]} == {"'=2.1.0"}, "no cell is a formula"

    _, text, _ = assentctl(*of_account, "--format", "readable", "--category", "analytics", "--status", "granted")
    assert text.splitlines()[-1].endswith("Granted Analytics (Regulation: GDPR, App: =2.1.0)")


def test_the_evidence_in_an_export_can_be_checked_by_anyone(assentctl, system):
    person, account = system.person()
    person.call("audit.entries", {"after": decide(person)})
    entries = result(assentctl("audit", "export", "--account", account))
    assert len({json.loads(entry["evidence"]["leaf"])["subject"] for entry in entries}) == 1
    for entry in entries:
        evidence = entry["evidence"]
        leaf = json.loads(evidence["leaf"])
        canonical = json.dumps(evidence["personal"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        committed = hashlib.sha256(bytes.fromhex(evidence["salt"]) + canonical.encode()).hexdigest()
        assert leaf["commitment"] == committed and leaf["entryId"] == entry["entryId"] and leaf["v"] == 1
        assert account not in evidence["leaf"]
    assert len({json.loads(entry["evidence"]["leaf"])["logId"] for entry in entries}) == 1
