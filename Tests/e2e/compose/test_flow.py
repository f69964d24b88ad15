# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""The containers, driven through the whole flow by clients that others wrote."""

import json
import re

import pytest
from conftest import ROOT
from test_third_party_clients import *  # noqa: F403  the same clients and flows, against the containers

from .stack import SERVICES, docker

PROGRAMS = [*SERVICES, "gateway"]
# Bytes that an image may have above the one it starts from.
MOST_ABOVE_BASE = 60_000_000


@pytest.fixture
def system(stack):
    return stack


def size(image):
    return json.loads(docker("image", "inspect", image))[0]["Size"]


@pytest.mark.parametrize("program", [*PROGRAMS, "mail"])
def test_an_image_is_small(stack, program):
    assert size(f"assent/{program}") - size("debian:bookworm-slim") <= MOST_ABOVE_BASE


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_has_no_rights_and_cannot_change_its_files(stack, program):
    for container in stack.containers(program):
        known = container.inspect()
        assert known["Config"]["User"] == "10001:10001"
        assert known["HostConfig"]["ReadonlyRootfs"] is True
        assert known["HostConfig"]["Memory"] > 0
        assert known["HostConfig"]["CapDrop"] == ["ALL"]
        assert known["Config"]["Healthcheck"]["Test"][:3] == ["CMD", "assentctl", "health"]
        status = dict(line.split(":\t", 1) for line in container.run("cat", "/proc/1/status").splitlines())
        assert status["Uid"].split()[0] == "10001" and int(status["CapEff"], 16) == 0
        with pytest.raises(RuntimeError, match="Read-only file system"):
            container.run("touch", "/usr/local/bin/x")


def test_no_secret_is_in_an_environment_or_a_log(stack):
    secrets = [
        word
        for name, text in stack.files.items()
        if not name.endswith("curve.peers")
        for word in re.split(r"[\s\"']+", re.sub(r"^(#|public ).*$", "", text, flags=re.MULTILINE))
        if len(word) >= 30 and not word.startswith("assent_pk")
    ]
    assert len(secrets) >= 15
    seen = stack.logs() + "".join(json.dumps(one.inspect()) for one in stack.containers())
    assert not [secret for secret in secrets if secret in seen]


def test_the_settings_screen_loads_whole(stack):
    person, account = stack.person()
    screen = person.call("settings.load")
    assert screen["account"]["value"]["accountId"] == account
    assert all(section is None or section["ok"] for section in screen.values())


def test_the_mailbox_keeps_what_it_is_sent(stack):
    mailbox = stack.containers("mail")[0]
    send = (
        "import smtplib, email.message\n"
        "m = email.message.EmailMessage(); m['Subject'] = 'Grüße'; m['From'] = 'a@example.com'; m['To'] = 'b@example.com'\n"
        "m.set_content('Hello'); s = smtplib.SMTP('127.0.0.1', 1025); s.send_message(m); s.quit()"
    )
    mailbox.run("python3", "-c", send)
    read = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8025/messages').read().decode())"
    kept = json.loads(mailbox.run("python3", "-c", read))
    assert kept[0]["subject"] == "Grüße" and kept[0]["to"] == ["b@example.com"] and kept[0]["text"].strip() == "Hello"


def test_the_compose_file_names_no_container_and_no_port_but_the_gateway_s(stack):
    text = (ROOT / "docker-compose.yml").read_text()
    assert "container_name" not in text
    for container in stack.containers():
        service = container.inspect()["Config"]["Labels"]["com.docker.compose.service"]
        bound = [port for ports in container.inspect()["NetworkSettings"]["Ports"].values() for port in ports or []]
        assert bool(bound) == service.startswith("gateway"), service
        assert all(port["HostIp"] == "127.0.0.1" for port in bound)
