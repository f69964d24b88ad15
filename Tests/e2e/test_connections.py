# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Sixty thousand clients come and go, by HTTP and by ZeroMQ, and the programs hold what they held before."""

import pytest
from clients import churn
from conftest import BINARIES, eventually
from harness.curve_gateway import CurveGateway
from harness.footprint import footprint

# Of each face.
CONNECTS = 15_000
# Before anything is compared: what allocators and tables of bounded size grow by once.
WARM_UP = 4_000
# What the heap may grow by, in KiB; 160 bytes for each connection would be more. Many that are there at once, because the
# machine was busy elsewhere, leave a heap in pieces: once. What leaks does so in every round.
SLACK_KIB = 2_048
ROUNDS = 3
SLACK_DESCRIPTORS = 4


@pytest.fixture(scope="module")
def curve_gateway(system, tmp_path_factory):
    with CurveGateway(BINARIES, system.data / "bus", tmp_path_factory.mktemp("gateway") / "curve") as gateway:
        gateway.wait()
        yield gateway


@pytest.mark.parametrize("face", ["HTTP", "ZeroMQ on tcp", "ZeroMQ on ipc", "CURVE"])
def test_clients_that_come_and_go_leave_memory_and_descriptors_flat(system, curve_gateway, face):
    pid = {"ZeroMQ on ipc": system.pid("consent-service"), "CURVE": curve_gateway.pid}.get(face, system.pid("gateway"))
    come_and_go = {
        "HTTP": lambda count: churn.http(system.http_port, count),
        "ZeroMQ on tcp": lambda count: churn.zeromq(system.zmq_endpoint, count),
        "ZeroMQ on ipc": lambda count: churn.zeromq(
            f"ipc://{system.data}/bus/consent-service.sock", count, body=churn.HEALTH),
        "CURVE": lambda count: churn.zeromq(
            curve_gateway.endpoint, count, churn.Keys(**{n: k.encode() for n, k in curve_gateway.client_keys().items()})),
    }[face]
    idle = footprint(pid).descriptors

    def after(count):
        come_and_go(count)
        # Those that left last are noticed within two seconds.
        eventually(lambda: footprint(pid).descriptors <= idle + SLACK_DESCRIPTORS)
        return footprint(pid)

    held = [after(WARM_UP)]
    for _ in range(ROUNDS):
        held.append(after(CONNECTS))
        print(f"{face}: {held[-2].anonymous_kib} and {held[-1].anonymous_kib} KiB, {held[-1].descriptors} descriptors")
        if held[-1].anonymous_kib <= held[-2].anonymous_kib + SLACK_KIB:
            break
    else:
        raise AssertionError(f"it grows each time: {held}")
    assert held[-1].threads <= held[0].threads
