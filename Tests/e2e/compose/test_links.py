# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""What is said between the containers: nobody on the way reads it, and PostgreSQL speaks with nobody in plain text."""

import json
import subprocess

import pytest
from conftest import eventually

from .capture import Capture
from .stack import SERVICES

POSTGRESQL, BUS = 5432, 5570
# How a client that wants TLS begins.
SSL_REQUEST = bytes.fromhex("0000000804d2162f")


def psql(stack, connection, sql="SELECT 1"):
    """As consent-service's user, over the network, with `connection` beside host and user."""
    database = stack.containers("postgres")[0]
    text = f"host=postgres dbname=assent user=consent_service connect_timeout=10 {connection}"
    secret = stack.files["consent-service/database-password"].strip()
    return subprocess.run(
        ["docker", "exec", "--env", f"PGPASSWORD={secret}", database.id, "psql", "-Atc", sql, text],
        capture_output=True, text=True, timeout=60)


def test_nothing_between_programs_and_postgresql_can_be_read(stack):
    service = stack.containers("consent-service")[0]
    with Capture(stack.network("bus")) as wire:
        # Its sessions begin anew.
        stack.compose("restart", "consent-service")
        service.wait_until_healthy()
        person, account = stack.person(name="Plain Words")
        person.call("account.rename", {"name": "Plain Words Again"})
        assert person.call("account.get")["name"] == "Plain Words Again"
        person.call("consent.decide", {
            "policyVersion": 1, "decisions": {"analytics": True}, "method": "toggle",
            "context": {"appVersion": "2.4", "osVersion": "18.2"}})
        eventually(lambda: person.call("consent.history")["items"], timeout=30)
    for port in (POSTGRESQL, BUS):
        streams = wire.streams_of(port)
        assert sum(map(len, streams)) > 5_000, port
        for words in ("Plain Words", f"{account}@example.com", account, "jsonrpc", "account.rename", "SELECT", "COMMIT",
                      "store_meta", "user\0consent_service", "SCRAM-SHA-256"):
            assert not any(words.encode() in stream for stream in streams), f"{words} on port {port}"
    assert any(stream.startswith(SSL_REQUEST) for stream in wire.streams_of(POSTGRESQL))


def test_every_session_of_a_service_is_encrypted(stack):
    sql = ("SELECT json_object_agg(usename, encrypted) FROM (SELECT usename, bool_and(ssl) AS encrypted "
           "FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE client_addr IS NOT NULL GROUP BY usename) AS users")
    command = ["psql", "--username=assent", "-Atc", sql, "assent"]
    sessions = json.loads(stack.containers("postgres")[0].run(*command))
    assert sessions == {service.replace("-", "_"): True for service in SERVICES}


def test_postgresql_refuses_a_client_without_tls_and_takes_the_same_one_with_it(stack):
    refused = psql(stack, "sslmode=disable")
    assert refused.returncode != 0 and "no encryption" in refused.stderr
    assert psql(stack, "sslmode=require").stdout == "1\n"


@pytest.mark.parametrize("authority, accepted", [("authority/ca.pem", True), (None, False)])
def test_a_client_that_checks_the_certificate_knows_postgresql_by_its_authority(stack, authority, accepted):
    container = stack.containers("postgres")[0]
    text = stack.files[authority] if authority else container.run(
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-noenc", "-keyout", "/dev/null", "-subj", "/CN=other")
    subprocess.run(
        ["docker", "exec", "--interactive", container.id, "sh", "-c", "cat >/tmp/ca.pem"], input=text, text=True, check=True)
    asked = psql(stack, "sslmode=verify-full sslrootcert=/tmp/ca.pem")
    assert (asked.stdout == "1\n") == accepted, asked.stderr
    assert accepted or "certificate verify failed" in asked.stderr
