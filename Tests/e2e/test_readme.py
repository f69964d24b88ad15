# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""README.md followed to the letter: its shell and Python blocks, run against a demo system."""

import json
import os
import re
import subprocess
import sys

from conftest import ROOT

README = (ROOT / "README.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def test_every_block_of_the_readme_runs(own_system):
    system = own_system(demo=True)
    system.start()

    def here(text):
        return (
            text.replace("127.0.0.1:8080", f"127.0.0.1:{system.http_port}")
            .replace("127.0.0.1:5570", f"127.0.0.1:{system.zmq_port}")
            .replace(".assent/", f"{system.data}/")
        )

    programs = os.environ.get("ASSENT_BIN_DIR", ROOT / ".build" / "release")
    script = "set -eu\n" + "\n".join(here(block) for block in blocks("sh"))
    environment = {
        "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
        "HOME": "/tmp",
        "ASSENT_DATA_DIR": str(system.data),
        "ASSENT_ZMQ_PORT": str(system.zmq_port),
    }
    ran = subprocess.run(
        ["bash", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr

    replies = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith('{"jsonrpc"')]
    refused = [reply["error"] for reply in replies if "error" in reply]
    assert [error["data"].get("display") for error in refused] == ["Enter your name."], refused
    checks = [reply["result"] for reply in replies if set(reply.get("result", {})) >= {"allowed", "reason"}]
    assert [check["allowed"] for check in checks] == [True, False]

    for block in blocks("python"):
        ran = subprocess.run(
            [sys.executable, "-c", here(block)], cwd=ROOT, capture_output=True, text=True, timeout=30
        )
        assert ran.returncode == 0, ran.stderr
        assert "'accountId': 'maya'" in ran.stdout
