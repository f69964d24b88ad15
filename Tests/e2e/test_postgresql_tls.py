# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL over TCP as it is used between machines: TLS with the server's name checked, and a password in a file."""

import os
import shutil
import subprocess

import pytest
from conftest import ROOT, free_port
from postgresql import PostgreSQL

PASSWORD = "correct horse battery"


def certificate(folder, name, *more):
    """A self-signed certificate for localhost."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost", "-keyout", str(folder / f"{name}.key"), "-out", str(folder / f"{name}.crt")],
        check=True, capture_output=True)
    return folder / f"{name}.crt", folder / f"{name}.key"


@pytest.fixture(scope="module")
def secured(tmp_path_factory):
    """(port, folder with the certificates): a server that lets in over TLS and by password only."""
    folder = tmp_path_factory.mktemp("tls")
    right, key = certificate(folder, "right")
    certificate(folder, "other")
    (folder / "password").write_text(PASSWORD + "\n")
    (folder / "wrong-password").write_text("incorrect\n")
    server = PostgreSQL()
    data = server.folder / "data"
    for source, target in ((right, "server.crt"), (key, "server.key")):
        shutil.copy(source, data / target)
        shutil.chown(data / target, *(("postgres", "postgres") if os.geteuid() == 0 else (os.geteuid(), os.getegid())))
        (data / target).chmod(0o600)
    (data / "pg_hba.conf").write_text(
        "local all postgres trust\nhostssl all all 127.0.0.1/32 scram-sha-256\nhostssl all all ::1/128 scram-sha-256\n")
    port = free_port()
    server.start(listen_addresses="localhost", port=port, ssl="on")
    arguments = ("-h", str(server.folder), "-p", str(port), "-U", "postgres", "-Atc")
    server.run("psql", *arguments, f"CREATE ROLE assent LOGIN PASSWORD '{PASSWORD}'")
    server.run("psql", *arguments, "CREATE DATABASE assent OWNER assent")
    yield port, folder, lambda sql: server.run("psql", *arguments[:-1], "-d", "assent", "-Atc", sql)
    server.remove()


def environment(secured, password="password", root="right.crt"):
    port, folder, _ = secured
    return {
        "ASSENT_DATABASE_URL":
            f"postgresql://assent@localhost:{port}/assent?sslmode=verify-full&sslrootcert={folder / root}&connections=2",
        "ASSENT_DATABASE_PASSWORD_FILE": str(folder / password),
    }


def test_a_system_on_a_secured_server_encrypts_every_connection(own_system, secured):
    system = own_system(store="sqlite", environment=environment(secured)).start()
    person, _ = system.person()
    assert person.call("account.get")["name"] == "Ada Lovelace"
    sessions = secured[2](
        "SELECT count(*), count(*) FILTER (WHERE ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
        "WHERE usename = 'assent'").strip()
    all_of_them, encrypted = map(int, sessions.split("|"))
    assert all_of_them >= 5 and all_of_them == encrypted
    # Each service in a schema of its own, none in the public one.
    schemas = secured[2]("SELECT DISTINCT schemaname FROM pg_tables WHERE tableowner = 'assent' ORDER BY 1").split()
    assert schemas == [
        "account_service", "audit_service", "consent_service", "notification_prefs_service", "permission_service"]
    assert system.stop() == 0
    for log in (system.data / "log").iterdir():
        assert PASSWORD not in log.read_text()


@pytest.mark.parametrize(
    "changed, said",
    [({"password": "wrong-password"}, "password authentication failed"), ({"root": "other.crt"}, "certificate")])
def test_a_server_that_cannot_be_trusted_or_does_not_trust_is_named_and_nothing_is_told(
    secured, tmp_path, changed, said
):
    done = subprocess.run(
        [os.environ.get("ASSENT_BIN_DIR", str(ROOT / ".build" / "release")) + "/consent-service"],
        env={**os.environ, **environment(secured, **changed), "ASSENT_BUS_DIR": str(tmp_path)},
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 78
    assert said in done.stdout + done.stderr
    assert "incorrect" not in done.stdout + done.stderr and PASSWORD not in done.stdout + done.stderr
