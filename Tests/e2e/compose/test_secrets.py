# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""deploy/secrets: what it makes, and that it never replaces what is there."""

import subprocess

import pytest
from conftest import ROOT

from .stack import SERVICES, docker, files_in

# What came after the first release of the command.
AUTHORITY = ["authority/ca.key", "authority/ca.pem", "postgres/server.crt", "postgres/server.key"] + [
    f"{service}/postgres-ca.pem" for service in SERVICES]
NAMES = ["postgres", "postgres.assent", "postgres.assent.svc", "postgres.assent.svc.cluster.local"]


@pytest.fixture
def folder(stack, tmp_path):
    """A copy of the secrets that containers run with."""
    in_container(stack.folder, tmp_path, "cp -a /from/secrets /to/secrets")
    yield tmp_path / "secrets"
    in_container(stack.folder, tmp_path, "rm -rf /to/secrets")


def in_container(source, target, script):
    """The files belong to users of containers."""
    docker("run", "--rm", "--user", "0", "--volume", f"{source}:/from:ro", "--volume", f"{target}:/to",
           "--entrypoint", "sh", "assent/gateway", "-euc", script)


def run(stack, folder):
    done = subprocess.run(
        [str(ROOT / "deploy" / "secrets")], env={**stack.environment, "ASSENT_SECRETS": str(folder)},
        capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return files_in(folder)


def test_a_second_run_changes_nothing(stack, folder):
    assert run(stack, folder) == stack.files


def test_an_old_folder_gets_what_is_new_and_keeps_the_rest(stack, folder):
    in_container(stack.folder, folder, f"cd /to && rm -r {' '.join(AUTHORITY)}")
    old = files_in(folder)
    new = run(stack, folder)
    assert {name: text for name, text in new.items() if name in old} == old
    assert set(new) - set(old) == set(AUTHORITY)
    for service in SERVICES:
        assert new[f"{service}/postgres-ca.pem"] == new["authority/ca.pem"]


def test_a_certificate_that_was_taken_away_is_made_again_by_the_same_authority(stack, folder):
    in_container(stack.folder, folder, "cd /to && rm postgres/server.crt")
    new = run(stack, folder)
    changed = {name for name, text in new.items() if text != stack.files[name]}
    assert changed == {"postgres/server.crt", "postgres/server.key"}


def test_the_certificate_has_the_names_of_compose_and_of_kubernetes(stack, folder):
    for name in NAMES:
        in_container(
            stack.folder, folder,
            "openssl verify -x509_strict -purpose sslserver -CAfile /to/authority/ca.pem "
            f"-verify_hostname {name} /to/postgres/server.crt")
    with pytest.raises(RuntimeError, match="hostname mismatch"):
        in_container(
            stack.folder, folder,
            "openssl verify -CAfile /to/authority/ca.pem -verify_hostname other /to/postgres/server.crt")


def test_the_authority_s_key_is_nobody_s_but_root_s_and_is_mounted_nowhere(stack, folder):
    assert docker(
        "run", "--rm", "--user", "0", "--volume", f"{folder}:/to:ro", "--entrypoint", "stat", "assent/gateway",
        "-c", "%u %a", "/to/authority", "/to/authority/ca.key").splitlines() == ["0 700", "0 600"]
    mounts = [mount["Source"] for one in stack.containers() for mount in one.inspect()["Mounts"]]
    assert not [source for source in mounts if source in (str(stack.secrets), str(stack.secrets / "authority"))]
