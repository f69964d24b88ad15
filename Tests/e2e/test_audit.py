# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""The audit trail from outside: what is in it, who sees it, and what its files give away."""

import os
import stat
import subprocess
import uuid

from conftest import ROOT, eventually, free_port

CONTEXT = {"appVersion": "2.1.0", "osVersion": "17.4"}


def decide(client, **decisions):
    version = client.call("consent.get")["policyVersion"]
    return client.call(
        "consent.decide", {"policyVersion": version, "decisions": decisions, "method": "save", "context": CONTEXT}
    )["entryId"]


def test_every_kind_of_change_is_in_the_trail(system):
    person, account = system.person()
    person.call("account.setAppearance", {"appearance": "dark"})
    person.call("account.block", {"blockedId": "spam-1"})
    person.call("notifications.update", {"set": {"messages": {"email": False}}})
    person.call("permission.report", {"platform": "ios", "permissions": [{"kind": "camera", "status": "authorized"}]})
    last = decide(person, analytics=True)
    person.call("audit.entries", {"after": last})

    def sources():
        return {entry["source"] for entry in person.call("audit.entries")["items"]}

    eventually(
        lambda: sources()
        >= {"account-service", "consent-service", "notification-prefs-service", "permission-service"}
    )
    trail = person.call("audit.entries", {"limit": 200})["items"]
    assert all(entry["accountId"] == account for entry in trail)
    assert len({entry["entryId"] for entry in trail}) == len(trail)
    assert [entry["timestamp"] for entry in trail] == sorted((entry["timestamp"] for entry in trail), reverse=True)


def test_current_decisions_are_the_newest_in_force(system):
    person, _ = system.person()
    decide(person, analytics=True, marketing=True)
    after = decide(person, analytics=False)
    current = person.call("audit.currentDecisions", {"after": after})["items"]
    assert {entry["category"]: entry["status"] for entry in current} == {"analytics": "denied", "marketing": "granted"}


def test_nobody_sees_another_s_trail(system):
    person, account = system.person()
    other, _ = system.person()
    device, device_id = system.device()
    decide(person, analytics=True)
    assert other.error("audit.entries", {"accountId": account}).status == "PERMISSION_DENIED"
    assert device.error("audit.entries", {"accountId": account}).status == "PERMISSION_DENIED"
    assert device.error("audit.export").status == "PERMISSION_DENIED"
    after = decide(device, analytics=False)
    own = device.call("audit.entries", {"after": after})["items"]
    assert own and all(entry.get("deviceId") == device_id and "accountId" not in entry for entry in own)
    assert system.key("check").error("audit.entries", {"accountId": account}).status == "PERMISSION_DENIED"
    assert system.key("audit").call("audit.entries", {"accountId": account, "after": after})["items"]


def test_a_person_is_not_told_which_key_acted(system):
    _, account = system.person()
    name = f"agent-{uuid.uuid4()}"
    made = system.admin.call("key.create", {"name": name, "owner": "tests", "scopes": ["agent"]})
    renamed = system.client(made["key"]).call("account.rename", {"accountId": account, "name": "Grace"})
    person = system.sign_in(account)
    entry = person.call("audit.entries", {"after": renamed["entryId"], "kind": "account.renamed"})["items"][0]
    assert entry["actor"] == "controller"
    assert name not in person.call("audit.export")["content"]
    staff = system.admin.call("audit.entries", {"accountId": account, "actor": f"key:{name}"})["items"]
    assert [entry["kind"] for entry in staff] == ["account.renamed"]


def test_the_audit_files_name_no_one(system):
    account = f"find-me-{uuid.uuid4()}"
    person, _ = system.person(account)
    person.call("audit.entries", {"after": decide(person, analytics=True)})
    files = list(system.data.glob("audit-service.db*"))
    assert files
    for file in files:
        assert account.encode() not in file.read_bytes(), file.name
    assert stat.S_IMODE(os.stat(system.data / "audit.key").st_mode) == 0o600


def test_a_lost_audit_key_is_said_and_not_replaced(own_system):
    system = own_system()
    system.start()
    person, _ = system.person()
    person.call("audit.entries", {"after": decide(person, analytics=True)})
    system.stop()
    key = system.data / "audit.key"
    kept = key.read_bytes()
    key.unlink()
    ended = subprocess.run(
        [str(ROOT / "deploy" / "up")],
        env={
            **os.environ,
            "ASSENT_DATA_DIR": str(system.data),
            "ASSENT_HTTP_PORT": str(free_port()),
            "ASSENT_ZMQ_PORT": str(free_port()),
        },
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 1
    assert "audit-service could not start" in ended.stderr and "ASSENT_AUDIT_KEY_FILE" in ended.stderr
    assert not key.exists()
    key.write_bytes(kept)
    key.chmod(0o600)
    system.start()
