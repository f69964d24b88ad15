# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Prepared requests, one to a line, as the load generators read them."""

import json
from collections.abc import Iterable
from pathlib import Path

# The ZeroMQ generator overwrites these digits.
ID = 1_000_000_000


def request(method: str, params: dict) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": ID, "method": method, "params": params}, separators=(",", ":"))


def write_lines(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("".join(line + "\n" for line in lines))
    return path


def echo_bodies(path: Path) -> Path:
    """One request whose params take 250 bytes."""
    padding = 250 - len(json.dumps({"text": ""}, separators=(",", ":")))
    return write_lines(path, [request("echo", {"text": "x" * padding})])


def check_params(account: str) -> dict:
    return {"accountId": account, "category": "analytics"}


def decide_params(account: str, policy_version: int, granted: bool) -> dict:
    return {
        "accountId": account, "policyVersion": policy_version, "decisions": {"analytics": granted},
        "method": "toggle", "context": {"appVersion": "4.2.1", "osVersion": "iOS 26.1"}}


def alternating(accounts: list[str], policy_version: int = 1) -> list[dict]:
    """Decisions that change something each: yes from every account, then no from every account."""
    return [decide_params(account, policy_version, granted) for granted in (True, False) for account in accounts]
