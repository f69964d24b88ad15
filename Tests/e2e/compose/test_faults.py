# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Replicas, and what befalls them under a steady load: nothing acknowledged is lost, nothing is recorded twice.

Each test prints what its clients saw.
"""

import contextlib
import time

import pytest

from .load import PATIENCE_SECONDS, Load
from .stack import SERVICES, Container, docker

REPLICAS = 3


@pytest.fixture(scope="module")
def scaled(stack):
    """Three replicas of every service and two gateways."""
    return stack.up(gateway=2, **{name.replace("-", "_"): REPLICAS for name in SERVICES})


@pytest.fixture
def load(scaled):
    """People who call, begun and calm; stopped whatever happens."""
    scaled.up()
    running = Load(scaled)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def finish(load, request, capsys):
    """Lets the system come to rest, proves that it lost nothing, and prints what its clients saw."""

    def proven(**excused):
        load.settle(5)
        load.stop()
        with capsys.disabled():
            print(f"\n  {load.summary(request.node.name)}")
        load.prove(**excused)

    return proven


def test_every_replica_serves(scaled):
    before = {name: served(scaled, name) for name in SERVICES}
    load = Load(scaled)
    load.start()
    with load.fault():
        time.sleep(5)
    load.stop()
    load.prove()
    assert not load.failures
    for name in SERVICES:
        assert len(before[name]) == REPLICAS
        shares = [after - begun for begun, after in zip(before[name], served(scaled, name), strict=True)]
        assert min(shares) > 0.1 * sum(shares), f"{name}: {shares}"


def served(stack, service):
    """How many calls each replica has answered, health checks and the like aside."""
    counts = []
    for replica in stack.containers(service):
        where = ["--endpoint", f"tcp://{replica.address}:5570", "--server", service]
        statistics = stack.operator("call", "rpc.stats", *where)
        counts.append(sum(one["calls"] for one in statistics["methods"] if not one["name"].startswith("rpc.")))
    return counts


@pytest.mark.parametrize("service", SERVICES)
def test_a_killed_replica(scaled, load, finish, service):
    victim = scaled.containers(service)[0]
    with load.fault():
        docker("kill", "--signal", "KILL", victim.id)
        time.sleep(5)
    docker("start", victim.id)
    victim.wait_until_healthy()
    finish()
    assert not load.failures


@pytest.mark.parametrize("service", ["consent-service", "account-service"])
def test_a_paused_replica(scaled, load, finish, service):
    victim = scaled.containers(service)[-1]
    with load.fault():
        docker("pause", victim.id)
        time.sleep(10)
        docker("unpause", victim.id)
    finish()
    assert not load.failures


@pytest.mark.parametrize("service", ["consent-service", "audit-service"])
def test_a_replica_cut_off_from_its_network(scaled, load, finish, service):
    victim = scaled.containers(service)[1]
    with load.fault():
        docker("network", "disconnect", scaled.network("bus"), victim.id)
        time.sleep(10)
        docker("network", "connect", "--alias", service, scaled.network("bus"), victim.id)
    victim.wait_until_healthy()
    finish()
    assert not load.failures


def test_a_killed_gateway(scaled, load, finish):
    victim = scaled.containers("gateway")[0]
    with load.fault():
        docker("kill", "--signal", "KILL", victim.id)
        time.sleep(5)
    docker("start", victim.id)
    victim.wait_until_healthy()
    scaled.learn_ports()
    finish()
    assert not load.failures


def test_a_gateway_paused_for_longer_than_its_clients_wait(scaled, load, finish):
    """They go to the other one; what it finds of their calls when it goes on is not done a second time."""
    victim = scaled.containers("gateway")[-1]
    with load.fault():
        docker("pause", victim.id)
        time.sleep(PATIENCE_SECONDS + 4)
        docker("unpause", victim.id)
    victim.wait_until_healthy()
    finish(hung=victim.http_address)
    assert set(load.failures) <= {"unanswered"}


@contextlib.contextmanager
def held(network, address):
    """Containers that listen to nothing take the network's free addresses, as the engine gives them out, up to this one."""
    placeholder = ["--detach", "--rm", "--network", network, "--no-healthcheck", "--entrypoint", "sleep"]
    holders = []
    try:
        while len(holders) < 16 and address not in [one.address for one in holders[-1:]]:
            holders.append(Container(docker("run", *placeholder, "assent/mail", "infinity")))
        yield
    finally:
        docker("rm", "--force", *[one.id for one in holders])


@pytest.mark.parametrize("service", ["consent-service", "account-service"])
def test_a_replica_is_replaced_by_one_at_another_address(scaled, load, finish, service):
    victim = scaled.containers(service)[0]
    address = victim.address
    with load.fault():
        docker("rm", "--force", victim.id)
        with held(scaled.network("bus"), address):
            scaled.up()
    replicas = scaled.containers(service)
    assert len(replicas) == REPLICAS and address not in [one.address for one in replicas]
    finish()
    assert not load.failures


def test_all_replicas_of_a_service_are_recreated(scaled, load, finish):
    before = {one.id for one in scaled.containers("consent-service")}
    options = ["--no-build", "--no-deps", "--force-recreate", "--scale", f"consent-service={REPLICAS}"]
    with load.fault():
        scaled.compose("up", "--detach", *options, "consent-service")
    replicas = scaled.containers("consent-service")
    for replica in replicas:
        replica.wait_until_healthy()
    assert len(replicas) == REPLICAS and not before & {one.id for one in replicas}
    finish()


def test_a_rolling_restart_of_everything(scaled, load, finish):
    with load.fault():
        for name in [*SERVICES, "gateway"]:
            for replica in scaled.containers(name):
                docker("stop", "--time", "20", replica.id)
                docker("start", replica.id)
                replica.wait_until_healthy()
                scaled.learn_ports()
    finish()
    assert not load.failures


def test_postgresql_restarts(scaled, load, finish):
    database = scaled.containers("postgres")[0]
    with load.fault():
        docker("restart", "--time", "30", database.id)
        database.wait_until_healthy()
    finish()


def test_postgresql_stands_still_for_ten_seconds(scaled, load, finish):
    database = scaled.containers("postgres")[0]
    with load.fault():
        docker("pause", database.id)
        time.sleep(10)
        docker("unpause", database.id)
    database.wait_until_healthy()
    finish()


def test_audit_is_away_for_half_a_minute(scaled, load, finish):
    replicas = scaled.containers("audit-service")
    with load.fault():
        for replica in replicas:
            docker("stop", "--time", "20", replica.id)
        time.sleep(30)
        for replica in replicas:
            docker("start", replica.id)
    for replica in replicas:
        replica.wait_until_healthy()
    finish()
    # Services go on without it; what they recorded reaches it later.
    assert not load.failures
