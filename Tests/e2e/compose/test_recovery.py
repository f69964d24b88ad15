# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""A service's schema is backed up, restored and recovered in containers, by the page's own commands."""

import re
import subprocess

from conftest import ROOT, eventually

from .stack import compose_command

SERVICE = "consent-service"
PAGE = (ROOT / "deploy" / "backup.md").read_text().split("\n## In containers\n")[1].split("\n## ")[0]
BACK_UP, RECOVER = re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def run(stack, commands):
    """To the letter, but for the name of compose."""
    text = commands.replace("docker-compose ", " ".join(compose_command()) + " ")
    done = subprocess.run(
        ["bash", "-euc", text], env={**stack.environment, "SERVICE": SERVICE, "BACKUP": str(stack.folder)}, cwd=ROOT,
        capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_what_was_withdrawn_since_the_backup_stays_withdrawn(stack):
    person, account = stack.person()
    checks = stack.key("check")

    def allowed():
        return checks.call("consent.check", {"accountId": account, "category": "analytics"})["allowed"]

    context = {"appVersion": "2.4", "osVersion": "17"}
    person.call("consent.grantAll", {"policyVersion": 1, "context": context})
    run(stack, BACK_UP)
    person.call("consent.withdraw", {"categories": ["analytics"]})
    # An entry in the trail is an event that audit-service has.
    eventually(lambda: person.call("consent.history")["items"][0]["status"] == "denied", timeout=20)
    assert "consent-service serves: " in run(stack, RECOVER)
    assert not eventually(lambda: [allowed()], timeout=20)[0]
    decision = person.call("consent.grantAll", {"policyVersion": 1, "context": context})
    assert decision["enabledCount"] == decision["optionalCount"] and allowed()
    for container in stack.containers(SERVICE):
        container.wait_until_healthy()
