# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""A service whose store was restored from a backup notices, refuses, and recovers; nothing that was taken back returns."""

import fcntl
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import time
import uuid

import pytest

from conftest import ROOT, eventually, pause
from test_kill import all_entries

SERVICES = ["consent-service", "account-service", "permission-service", "notification-prefs-service"]
CONTEXT = {"appVersion": "2.4", "osVersion": "17"}
BIN = os.environ.get("ASSENT_BIN_DIR", str(ROOT / ".build" / "release"))


def assentctl(system, *arguments, status=0):
    done = subprocess.run(
        [f"{BIN}/assentctl", *arguments], capture_output=True, text=True, timeout=60,
        env=dict(os.environ, ASSENT_DATA_DIR=str(system.data), ASSENT_ZMQ_PORT=str(system.zmq_port)))
    assert done.returncode == status, f"{done.returncode}: {done.stdout} {done.stderr}"
    return done.stdout + done.stderr


ENGINES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
PAGE = (ROOT / "deploy" / "backup.md").read_text()


def run_section(system, service, section):
    """The commands of a section of deploy/backup.md, to the letter."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    commands = re.search(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE).group(1)
    backup = system.data / "backup"
    backup.mkdir(exist_ok=True)
    ran = subprocess.run(
        ["bash", "-euc", commands], capture_output=True, text=True, timeout=60,
        env={"PATH": f"{BIN}:/usr/local/bin:/usr/bin:/bin", "SERVICE": service, "BACKUP": str(backup),
             "ASSENT_DATA_DIR": str(system.data), **system.environment})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def back_up(system, service):
    run_section(system, service, f"{ENGINES[system.store]}: back up")


def restore(system, service):
    run_section(system, service, f"{ENGINES[system.store]}: restore")


class Life:
    """Two persons, keys, and what they do before and after the backup."""

    def __init__(self, system):
        self.system = system
        admin = system.admin
        self.ada, self.account = system.person()
        self.bob, self.other = system.person()
        self.device, self.device_id = system.device()
        self.key = admin.call("key.create", {"name": f"k-{uuid.uuid4()}", "owner": "t", "scopes": ["check"]})
        self.checker = system.client(self.key["key"])
        self.leaver = system.sign_in(self.other)
        for person in (self.ada, self.bob, self.device):
            person.call("consent.grantAll", {"policyVersion": 1, "context": CONTEXT})
        self.ada.call("account.block", {"blockedId": "mallory"})
        self.ada.call("account.block", {"blockedId": "eve"})
        self.report("authorized")
        self.ada.call("permission.record", {"kind": "location", "event": "notNow"})
        self.ada.call("notifications.update", {"toggle": {"messages": True}, "digest": "daily"})

    def report(self, status):
        self.device.call(
            "permission.report",
            {"permissions": [{"kind": "camera", "status": status}, {"kind": "notifications", "status": status}],
             "platform": "ios"})

    def go_on(self):
        """Withdrawals, and much else, until the last entry of each service is in the log."""
        system, admin = self.system, self.system.admin
        self.decision = str(uuid.uuid4())
        self.ada.call("consent.withdraw", {"categories": ["analytics"], "decisionId": self.decision})
        self.bob.call("consent.optOut")
        self.device.call("consent.denyAll")
        admin.call("key.revoke", {"keyId": self.key["keyId"]})
        self.ada.call("account.unblock", {"blockedId": "eve"})
        self.ada.call("account.block", {"blockedId": "trent"})
        self.ada.call("account.rename", {"name": "Ada King"})
        self.ada.call("account.setAppearance", {"appearance": "dark"})
        self.newcomer, self.third = system.person()
        self.newcomer.call("consent.denyAll")
        self.report("denied")
        last = [
            self.device.call("permission.record", {"kind": "photos", "event": "notNow"}),
            self.ada.call("notifications.update", {"toggle": {"messages": False}, "digest": "off"})]
        version = admin.call("consent.catalog")["policyVersion"] + 1
        last.append(admin.call(
            "consent.publishPolicy",
            {"version": version, "material": False,
             "categories": [{"id": "essential", "required": True, "legalBasis": "contract", "uses": [],
                             "texts": [{"locale": "en", "displayName": "Essential", "explanation": "Needed."}]},
                            {"id": "analytics", "required": False, "legalBasis": "consent", "uses": ["sharing"],
                             "texts": [{"locale": "en", "displayName": "Analytics", "explanation": "Numbers."}]}],
             "notices": [{"locale": "en", "title": "Privacy", "text": "We ask."}]}))
        # Last, as it ends the session.
        self.bob = None
        last.append(self.leaver.call("session.signOutEverywhere"))
        for written in last:
            eventually(lambda: admin.call("audit.entries", {"after": written["entryId"], "limit": 1}))

    def state(self, but=None):
        """What the services answer."""
        admin = self.system.admin
        views = {}
        persons = [("ada", self.ada), ("newcomer", self.newcomer)]
        persons = [(name, person) for name, person in persons if name != but]
        for name, person in [*persons, ("device", self.device)]:
            views[f"{name} consent"] = person.call("consent.get")
            views[f"{name} permissions"] = person.call("permission.list")
        for name, person in persons:
            for method in ("account.get", "account.blocked", "notifications.get", "session.list"):
                views[f"{name} {method}"] = person.call(method)
        views["bob consent"] = admin.call("consent.get", {"accountId": self.other})
        views["keys"] = admin.call("key.list", {"limit": 200})
        views["catalog"] = admin.call("consent.catalog")
        views["primer"] = self.device.call("permission.primer", {"kind": "photos", "appName": "A"})
        return views

    def check_nothing_returned(self):
        assert self.checker.error("consent.check", {"accountId": self.account, "category": "analytics"}).code == -32016
        assert self.leaver.error("account.get").code == -32016
        check = self.system.key("check")
        for account in (self.account, self.other):
            assert not check.call("consent.check", {"accountId": account, "category": "analytics"})["allowed"]


def ids(entries):
    return [entry["entryId"] for entry in entries]


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
@pytest.mark.parametrize("service", SERVICES)
def test_a_restored_service_recovers(own_system, store, service):
    system = own_system(store=store).start()
    life = Life(system)
    back_up(system, service)
    life.go_on()
    before = life.state()
    trail = all_entries(system.admin)
    system.stop()

    restore(system, service)
    is_account = service == "account-service"
    system.start(until="assent: waiting for" if is_account else "assent: ready ")
    # It answers before it has looked at its store, and all is ready once it answers.
    eventually(lambda: "restored" in system.log(service))
    said = assentctl(system, "health", "--endpoint", f"ipc://{system.data}/bus/{service}.sock", status=1)
    assert "NOT_SERVING" in said and f"assentctl recover {service}" in said
    if not is_account:
        health = system.client().call("rpc.health")
        assert health["services"][service] == "NOT_SERVING" and "recover" in health["reasons"][service]
        method = {"consent-service": "consent.get", "permission-service": "permission.list",
                  "notification-prefs-service": "notifications.get"}[service]
        refusal = life.ada.error(method)
        assert (refusal.status, refusal.reason) == ("FAILED_PRECONDITION", "restoredNotRecovered")

    assert f"{service} serves" in run_section(system, service, "Recover")
    assert "lacks nothing" in assentctl(system, "recover", service)
    eventually(lambda: system.client().call("rpc.health")["services"][service] == "SERVING", timeout=30)
    assert eventually(life.state, timeout=20) == before
    life.check_nothing_returned()
    assert ids(all_entries(system.admin))[-len(trail):] == ids(trail)

    # Everything goes on, and is recorded once.
    life.ada.call("account.rename", {"name": "Ada"})
    life.ada.call("consent.grantAll", {"policyVersion": 2, "context": CONTEXT, "confirm": ["optInAfterOptOut"]})
    again = life.ada.call("consent.withdraw", {"categories": ["analytics"], "decisionId": life.decision})
    assert again["entryId"] in ids(trail)
    life.report("authorized")
    last = life.ada.call("notifications.update", {"digest": "weekly"})
    eventually(lambda: system.admin.call("audit.entries", {"after": last["entryId"], "limit": 1}))
    system.sign_in(life.account)

    def settled():
        entries = all_entries(system.admin)
        assert len(set(ids(entries))) == len(entries)
        assert {entry["kind"] for entry in entries[:8]} >= {"permission.changed", "account.renamed", "session.started"}
        return True

    eventually(settled, timeout=20)
    assert "two histories" not in system.log("audit-service")
    assert "held back" not in "".join(system.log(name) for name in SERVICES)


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_a_recovery_that_is_killed_is_run_again(own_system, store):
    service = "consent-service"
    system = own_system(store=store).start()
    life = Life(system)
    back_up(system, service)
    life.go_on()
    for number in range(400):
        life.ada.call("consent.decide" if number % 2 else "consent.withdraw",
                      {"policyVersion": 2, "decisions": {"analytics": True}, "method": "toggle", "context": CONTEXT} if number % 2
                      else {"categories": ["analytics"]})
    last = life.ada.call("consent.withdraw", {"categories": ["analytics"]})
    before = life.state()
    # What audit-service has not heard of when the store is lost is lost with it.
    eventually(lambda: system.admin.call("audit.entries", {"after": last["entryId"], "limit": 1}))
    system.stop()
    restore(system, service)
    system.start()
    for _ in range(3):
        recovering = subprocess.Popen(
            [f"{BIN}/assentctl", "recover", service], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, ASSENT_DATA_DIR=str(system.data)))
        eventually(lambda: "recovery begins" in system.log(service))
        time.sleep(0.05)
        pid = system.pid(service)
        os.kill(pid, signal.SIGKILL)
        recovering.kill()
        recovering.wait()
        eventually(lambda: system.pid(service) != pid, timeout=20)
        eventually(lambda: service in system.client().call("rpc.health")["services"])
    eventually(lambda: assentctl(system, "recover", service), timeout=30)
    eventually(lambda: system.client().call("rpc.health")["services"][service] == "SERVING", timeout=30)
    assert last["revision"] == life.ada.call("consent.get")["revision"]
    assert eventually(life.state) == before


def test_a_backup_is_a_whole_file_and_replaces_none(own_system):
    system = own_system(store="sqlite").start()
    back_up(system, "consent-service")
    path = system.data / "backup" / "consent-service.db"
    assert path.stat().st_mode & 0o777 == 0o600
    assert "exists" in assentctl(system, "backup", "consent-service", str(path), status=1)
    assert "absolute" in assentctl(system, "backup", "consent-service", "relative.db", status=1)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def swap(system, service, backup):
    """Kills a service and puts a backup in the place of its file, while deploy/up cannot start it again."""
    path = system.data / f"{service}.db"
    pid = system.pid(service)
    supervisor = system.process.pid
    pause(supervisor)
    try:
        os.kill(pid, signal.SIGKILL)
        with open(f"{path}-lock") as lock:
            eventually(lambda: fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB) is None)
        for end in ("", "-wal", "-shm"):
            pathlib.Path(f"{path}{end}").unlink(missing_ok=True)
        shutil.copy(backup, path)
    finally:
        os.kill(supervisor, signal.SIGCONT)
    eventually(lambda: system.pid(service) != pid, timeout=20)


def status(system, service):
    return system.client().call("rpc.health")["services"][service]


@pytest.mark.parametrize("is_marked", [True, False])
def test_without_audit_service_a_marked_copy_waits_and_a_bare_one_is_found_later(own_system, is_marked):
    service = "consent-service"
    system = own_system(store="sqlite").start()
    ada, account = system.person()
    ada.call("consent.grantAll", {"policyVersion": 1, "context": CONTEXT})
    back_up(system, service)
    backup = system.data / "backup" / f"{service}.db"
    if not is_marked:
        with sqlite3.connect(backup) as copy:
            copy.execute("DELETE FROM store_meta WHERE name = 'restored'")
        copy.close()
    withdrawn = ada.call("consent.withdraw", {"categories": ["analytics"]})
    eventually(lambda: ada.call("audit.entries", {"after": withdrawn["entryId"]}))
    audit = system.pid("audit-service")
    pause(audit)
    try:
        swap(system, service, backup)
        if is_marked:
            eventually(lambda: "restoredNotRecovered" in system.log(service), timeout=20)
            eventually(lambda: ada.error("consent.get").reason == "restoredNotRecovered", timeout=20)
        else:
            # Nobody can tell it; it goes on, and what it writes waits.
            eventually(lambda: status(system, service) == "SERVING", timeout=20)
            refused = ada.call("consent.withdraw", {"categories": ["marketing"]})
            third = ada.call("consent.withdraw", {"categories": ["personalization"]})
            assert refused["revision"] == withdrawn["revision"]
    finally:
        os.kill(audit, signal.SIGCONT)
    # The writes have overtaken what audit-service has of the one subject, so numbers alone would not tell.
    reason = "restoredNotRecovered" if is_marked else "twoHistories"
    eventually(lambda: ada.error("consent.get").reason == reason, timeout=30)
    said = eventually(lambda: assentctl(system, "recover", service), timeout=20)
    eventually(lambda: status(system, service) == "SERVING", timeout=20)
    categories = {item["id"]: item["status"] for item in ada.call("consent.get")["categories"]}
    assert categories["analytics"] == "denied"
    if not is_marked:
        assert "2 written since the restore put behind them" in said
        assert (categories["marketing"], categories["personalization"]) == ("denied", "denied")
        eventually(lambda: ada.call("audit.entries", {"after": third["entryId"]}))
    last = ada.call("consent.withdraw", {"categories": ["functional"]})
    eventually(lambda: ada.call("audit.entries", {"after": last["entryId"]}))
    entries = [entry for entry in all_entries(ada) if entry["kind"] == "consent.withdrawn"]
    assert [entry["category"] for entry in entries][::-1] == (
        ["analytics", "functional"] if is_marked else ["analytics", "marketing", "personalization", "functional"])


def test_a_copy_that_nobody_marked_is_noticed_before_it_serves(own_system):
    service = "notification-prefs-service"
    system = own_system(store="sqlite").start()
    ada, _ = system.person()
    ada.call("notifications.update", {"digest": "daily"})
    system.stop()
    # A cold copy of the files.
    backup = system.data / "cold.db"
    shutil.copy(system.data / f"{service}.db", backup)
    system.start()
    off = ada.call("notifications.update", {"digest": "off"})
    eventually(lambda: ada.call("audit.entries", {"after": off["entryId"]}))
    system.stop()
    shutil.copy(backup, system.data / f"{service}.db")
    system.start()
    assert ada.error("notifications.get").reason == "restoredBehindAudit"
    assert status(system, service) == "NOT_SERVING"
    assert "1 of its events replayed" in assentctl(system, "recover", service)
    assert eventually(lambda: ada.call("notifications.get"))["digest"] == "off"


def erase(system, entry_id):
    """What Services/audit-service/README.md says that the erasure of a subject is; `entry_id`: one of its entries."""
    with sqlite3.connect(system.data / "audit-service.db") as log:
        (subject,) = log.execute("SELECT subject FROM audit_entry WHERE entry_id = ?", (entry_id,)).fetchone()
        log.execute("UPDATE audit_entry SET sealed = NULL WHERE app = 'default' AND subject = ?", (subject,))
        log.execute("UPDATE audit_event SET sealed = NULL WHERE app = 'default' AND subject = ?", (subject,))
        log.execute(
            "UPDATE audit_subject SET subject = NULL, wrapped_key = NULL WHERE app = 'default' AND subject = ?", (subject,))
    log.close()


def test_who_was_erased_since_the_backups_of_all_services_is_erased_again(own_system):
    system = own_system(store="sqlite").start()
    life = Life(system)
    for service in SERVICES:
        back_up(system, service)
    life.go_on()
    before = life.state()
    entry = system.admin.call("audit.entries", {"accountId": life.account, "limit": 1})["items"][0]["entryId"]
    token = life.ada.token
    system.stop()
    erase(system, entry)
    for service in SERVICES:
        restore(system, service)
    system.start(until="assent: waiting for")
    for service in SERVICES:
        assert "erased again" in assentctl(system, "recover", service)
    admin = system.admin
    eventually(lambda: admin.call("account.get", {"accountId": life.third}), timeout=30)
    after = life.state(but="ada")
    assert after == {name: before[name] for name in after}
    assert admin.error("account.get", {"accountId": life.account}).status == "NOT_FOUND"
    assert admin.error("notifications.get", {"accountId": life.account}).status == "NOT_FOUND"
    assert system.client(token).error("account.get").code == -32016
    check = system.key("check").call("consent.check", {"accountId": life.account, "category": "analytics"})
    assert not check["allowed"]
    for service, table in (("account-service", "account"), ("account-service", "blocked_account"),
                           ("consent-service", "consent_record"), ("permission-service", "person_primer"),
                           ("notification-prefs-service", "notification_preferences")):
        with sqlite3.connect(system.data / f"{service}.db") as store:
            rows = store.execute(f"SELECT * FROM {table}").fetchall()
        store.close()
        assert not any(life.account in str(row) for row in rows), table


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_a_restored_audit_service_says_so_and_loses_no_more_than_it_says(own_system, store):
    system = own_system(store=store).start()
    ada, account = system.person()
    ada.call("consent.grantAll", {"policyVersion": 1, "context": CONTEXT})
    eventually(lambda: len(all_entries(ada)) >= 5)
    back_up(system, "audit-service")
    lost = [ada.call("consent.withdraw", {"categories": [category]}) for category in ("analytics", "marketing")]
    eventually(lambda: ada.call("audit.entries", {"after": lost[-1]["entryId"]}))
    system.stop()
    restore(system, "audit-service")
    system.start()
    # Services ask it what it has before they serve.
    eventually(lambda: "was restored from a backup" in assentctl(system, "health"), timeout=30)
    assert not {entry["entryId"] for entry in all_entries(ada)} & {one["entryId"] for one in lost}
    # State is the services' own; what follows a loss is held back, and nothing is dropped.
    assert "granted" not in str([item for item in ada.call("consent.get")["categories"] if item["id"] == "analytics"])
    kept = [ada.call("consent.withdraw", {"categories": [category]}) for category in ("personalization", "functional")]
    eventually(lambda: "held back" in system.log("consent-service"), timeout=60)
    assert ada.error("audit.entries", {"after": kept[-1]["entryId"]}).reason == "entryPending"

    assentctl(system, "recover", "audit-service")
    assert "was restored" not in assentctl(system, "health")
    eventually(lambda: ada.call("audit.entries", {"after": kept[-1]["entryId"]}), timeout=90, every=1)
    entries = all_entries(ada)[::-1]
    consents = [entry for entry in entries if entry["kind"] in ("consent.withdrawn", "audit.eventsMissing")]
    assert sorted(entry["entryId"] for entry in consents if entry["kind"] == "consent.withdrawn") == sorted(
        one["entryId"] for one in kept)
    (missing,) = [entry for entry in consents if entry["kind"] == "audit.eventsMissing"]
    assert missing["details"]["source"] == "consent-service" and missing["details"]["count"] == 2
    assert missing["details"]["before"] == kept[0]["entryId"]
