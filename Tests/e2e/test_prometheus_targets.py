# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""What Prometheus finds to scrape with the configurations in deploy/observability, in compose and in Kubernetes."""

import json
import pathlib
import subprocess
import sys

import pytest
import yaml
from conftest import ROOT

FOLDER = ROOT / "deploy" / "observability"
SERVICES = [
    "account-service", "audit-service", "consent-service", "permission-service", "notification-prefs-service"]
PROGRAMS = [*SERVICES, "gateway", "gateway-zmq"]
METRICS = 9464


def manifests(kind):
    found = [one for path in sorted((ROOT / "deploy" / "kubernetes").glob("*.yaml"))
             for one in yaml.safe_load_all(path.read_text())]
    return [one for one in found if one["kind"] == kind]


def targets(configuration, records, resolv_conf):
    """(address, program) of everything that it would scrape where names are these, looked up by Prometheus' own code."""
    done = subprocess.run(
        [sys.executable, str(pathlib.Path(__file__).parent / "cluster_names.py"), json.dumps(records), resolv_conf,
         "promtool", "check", "service-discovery", "--timeout=5s", str(FOLDER / configuration), "assent"],
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout[done.stdout.index("["):])
    return sorted((one["labels"]["__address__"], one["labels"]["service"]) for one in found)


@pytest.fixture(scope="module")
def pods():
    """Two of each program, by their names."""
    return {name: [f"10.1.{index}.{number}" for number in (1, 2)] for index, name in enumerate(PROGRAMS)}


def expected(pods):
    return sorted((f"{address}:{METRICS}", name) for name, addresses in pods.items() for address in addresses)


def test_in_kubernetes_every_pod_of_every_program_is_found_from_the_namespace_of_monitoring(pods):
    records = {}
    for service in manifests("Service"):
        name = f"{service['metadata']['name']}.assent.svc.cluster.local"
        is_headless = service["spec"].get("clusterIP") == "None"
        program = service["spec"]["selector"]["app.kubernetes.io/name"]
        records[name] = pods[program] if is_headless else ["10.2.0.1"]
    resolv_conf = "nameserver 127.0.0.1\nsearch monitoring.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5\n"
    assert targets("prometheus-kubernetes.yml", records, resolv_conf) == expected(pods)


def test_in_compose_every_replica_of_every_program_is_found(pods):
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    # As the engine answers in the network of the services.
    records = {name: pods.get(name, ["10.1.9.9"]) for name, service in services.items() if "bus" in service["networks"]}
    assert targets("prometheus.yml", records, "nameserver 127.0.0.1\n") == expected(pods)


@pytest.mark.parametrize("name", PROGRAMS)
def test_in_kubernetes_a_program_that_is_not_ready_is_scraped_too(name):
    names = yaml.safe_load((FOLDER / "prometheus-kubernetes.yml").read_text())["scrape_configs"][0]["dns_sd_configs"][0]["names"]
    asked = {one.split(".")[0] for one in names}
    service, = [one["spec"] for one in manifests("Service")
                if one["metadata"]["name"] in asked and one["spec"]["selector"]["app.kubernetes.io/name"] == name]
    assert service["publishNotReadyAddresses"] is True
    assert {"name": "metrics", "port": METRICS, "targetPort": "metrics"} in service["ports"]


@pytest.mark.parametrize("configuration", ["prometheus.yml", "prometheus-kubernetes.yml"])
def test_a_configuration_is_what_prometheus_takes(configuration):
    done = subprocess.run(["promtool", "check", "config", configuration], cwd=FOLDER, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
