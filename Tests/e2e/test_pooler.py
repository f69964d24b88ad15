# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""A pooler between the services and PostgreSQL that gives each transaction another session (`prepared=off`)."""

import os
import subprocess

import pytest
from conftest import BINARIES, eventually, shared_postgresql
from pgbouncer import PgBouncer
from test_replicas import Pair, decide, decided, toggle_on_both

SESSIONS = 3


@pytest.fixture
def database():
    """The name of a database of its own, whose owner's settings are those that the README asks for."""
    server = shared_postgresql()
    name = server.new_database().split("/")[3].split("?")[0]
    if not server.query("postgres", "SELECT 1 FROM pg_roles WHERE rolname = 'assent'").strip():
        server.query("postgres", "CREATE ROLE assent LOGIN")
    server.query("postgres", "ALTER ROLE assent SET lock_timeout = '1s'")
    server.query("postgres", "ALTER ROLE assent SET idle_in_transaction_session_timeout = '2s'")
    server.query("postgres", f"ALTER DATABASE {name} OWNER TO assent")
    return name


@pytest.fixture
def pooler():
    """Makes poolers before the shared server."""
    made = []

    def make(**settings):
        made.append(PgBouncer(shared_postgresql(), SESSIONS, **settings).start())
        return made[-1]

    yield make
    for one in made:
        one.remove()


def test_replicas_behind_a_pooler_have_few_sessions_and_one_truth(pooler, database, own_system):
    between = pooler()
    system = own_system(
        store="postgresql", environment={"ASSENT_DATABASE_URL": between.url(database) + "&prepared=off"}).start()
    other = Pair(system, "consent-service", "account-service")
    try:
        checks = system.key("check")
        people = [system.person() for _ in range(4)]
        eventually(lambda: all(other.client(person.token).call("consent.get") for person, _ in people), timeout=20)
        toggle_on_both(system, other, checks, people, 40)
        for person, _ in people:
            asked = other.client(person.token)
            eventually(lambda: len(asked.call("consent.history", {"limit": 100})["items"]) == 40)
        for _, account in people:
            eventually(lambda: len(decided(system, account)) == 40, timeout=20)
            assert len({entry["entryId"] for entry in decided(system, account)}) == 40
        assert between.clients() > SESSIONS
        sessions = shared_postgresql().query(
            "postgres", f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}' AND usename = 'assent'")
        assert 0 < int(sessions) <= SESSIONS
        # What is under way meanwhile is lost, the services are not.
        between.stop()
        between.start()
        person, account = people[0]
        eventually(lambda: decide(person, False))
        eventually(lambda: not checks.call("consent.check", {"accountId": account, "category": "analytics"})["allowed"])
    finally:
        other.stop()
    for service in ("account-service", "audit-service", "consent-service"):
        assert "prepared statement" not in system.log(service)


@pytest.mark.parametrize(
    "settings, said",
    [({}, "unsupported startup parameter"), ({"ignore_startup_parameters": "options"}, "needs prepared=off in the store's URL")])
def test_a_service_that_prepares_statements_does_not_start_behind_a_pooler(pooler, database, tmp_path, settings, said):
    done = subprocess.run(
        [str(BINARIES / "consent-service")],
        env={
            **os.environ, "ASSENT_DATABASE_URL": pooler(**settings).url(database),
            "ASSENT_BUS_DIR": str(tmp_path)},
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 78
    assert said in done.stdout + done.stderr
