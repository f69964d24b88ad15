# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""deploy/lib/build.sh builds when something that goes into the programs is newer than they are, and only then."""

import os
import subprocess

import pytest
from conftest import ROOT

# Where it builds with a compiler that only counts.
BUILD = "root=$1; . $root/deploy/lib/build.sh; build_release"
PARTS = ["Package.swift", "Sources/RPC/Method.swift", "Services/gateway/Main/Main.swift", "deploy/lib/build.sh"]


@pytest.fixture
def built(tmp_path):
    """A folder with a build of a minute ago, and a function that builds again and counts."""
    for name in PARTS:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / "deploy/lib/build.sh").read_text() if name.endswith(".sh") else "")
    compiler = tmp_path / "bin" / "swift"
    compiler.parent.mkdir()
    compiler.write_text(f"#!/bin/sh\necho built >>{tmp_path}/calls\nexit $(cat {tmp_path}/status 2>/dev/null || echo 0)\n")
    compiler.chmod(0o755)
    environment = {**os.environ, "PATH": f"{compiler.parent}:{os.environ['PATH']}"}
    environment.pop("ASSENT_BIN_DIR", None)

    def build():
        done = subprocess.run(["bash", "-euc", BUILD, "build", str(tmp_path)], env=environment, capture_output=True)
        return done.returncode, len((tmp_path / "calls").read_text().splitlines())

    assert build() == (0, 1)
    stamp = (tmp_path / ".build/release.stamp").stat().st_mtime
    for path in tmp_path.rglob("*"):
        os.utime(path, (stamp - 120, stamp - 120))
    os.utime(tmp_path / ".build/release.stamp", (stamp - 60, stamp - 60))
    return tmp_path, build


def test_nothing_newer_builds_nothing(built):
    assert built[1]() == (0, 1)


@pytest.mark.parametrize("name", PARTS)
def test_anything_newer_builds_once(built, name):
    folder, build = built
    os.utime(folder / name)
    assert build() == (0, 2)
    assert build() == (0, 2)


def test_a_build_that_fails_is_tried_again(built):
    folder, build = built
    os.utime(folder / "Package.swift")
    (folder / "status").write_text("1")
    assert build() == (1, 2)
    (folder / "status").write_text("0")
    assert build() == (0, 3)
