# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0

import os

import pytest

from .stack import Stack, engine_answers


@pytest.fixture(scope="package")
def stack():
    """docker-compose.yml as a running system; skipped where no engine answers, unless ASSENT_TEST_CONTAINERS=1."""
    if not engine_answers():
        if os.environ.get("ASSENT_TEST_CONTAINERS") == "1":
            pytest.fail("no Docker Engine answers")
        pytest.skip("no Docker Engine answers")
    running = Stack()
    try:
        yield running.start()
    finally:
        running.stop()
