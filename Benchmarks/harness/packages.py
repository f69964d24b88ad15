# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""What the peers need, installed where it is missing, by package name only; and compiling them."""

import os
import shutil
import subprocess
from pathlib import Path

from .benchmark import say
from .servers import Failure


def install(*names: str) -> None:
    """Debian packages."""
    missing = [name for name in names if not is_installed(name)]
    if not missing:
        return
    say(f"installing {' '.join(missing)}")
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    if sudo and not shutil.which("sudo"):
        raise Failure(f"these Debian packages are missing and need root to install: {' '.join(missing)}")
    apt_get = [*sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    check([*apt_get, "update", "-qq"])
    check([*apt_get, "install", "-y", "-qq", "--no-install-recommends", *missing])


def is_installed(name: str) -> bool:
    asked = subprocess.run(["dpkg-query", "-W", "-f=${Status}", name], capture_output=True, text=True)
    return asked.stdout.startswith("install ok installed")


def check(command: list[str], **options) -> str:
    """Runs a command to its end and gives its output; what it says on failure is raised."""
    if "input" not in options:
        options["stdin"] = subprocess.DEVNULL
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)} failed: {(done.stderr or done.stdout).strip()[-2000:]}")
    return done.stdout


def is_older(target: Path, *sources: Path) -> bool:
    return not target.exists() or any(source.stat().st_mtime > target.stat().st_mtime for source in sources)


def compile_c(source: Path, target: Path, library: str, *headers: Path) -> Path:
    if is_older(target, source, *headers):
        install("gcc", "libc6-dev")
        check(["gcc", "-O2", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-o", str(target), str(source), f"-l{library}"])
    return target


def python_environment(folder: Path, requirements: Path) -> Path:
    """A virtual environment with these PyPI packages.
    :return: its folder of programs"""
    installed = folder / "requirements.txt"
    if not installed.exists() or installed.read_text() != requirements.read_text():
        install("python3-venv")
        say(f"installing the Python packages of {requirements.parent.name}")
        shutil.rmtree(folder, ignore_errors=True)
        check(["python3", "-m", "venv", str(folder)])
        check([str(folder / "bin/pip"), "install", "-q", "--disable-pip-version-check", "-r", str(requirements)])
        shutil.copy(requirements, installed)
    return folder / "bin"
