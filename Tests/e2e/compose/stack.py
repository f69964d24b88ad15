# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""docker-compose.yml as a running system, in a project of its own."""

import functools
import io
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tarfile
import tempfile
import time
import uuid

import zmq
from conftest import ROOT, Callers, eventually

SERVICES = [
    "account-service",
    "audit-service",
    "consent-service",
    "permission-service",
    "notification-prefs-service",
]
# An engine that has images to fetch or a machine with few cores takes its time.
START_SECONDS = 180


def docker(*arguments, check=True, timeout=120):
    """What docker printed."""
    done = subprocess.run(["docker", *arguments], capture_output=True, text=True, timeout=timeout)
    if check and done.returncode != 0:
        raise RuntimeError(f"docker {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def engine_answers():
    return shutil.which("docker") is not None and not docker_fails("version")


def docker_fails(*arguments):
    return subprocess.run(["docker", *arguments], capture_output=True).returncode != 0


def compose_command():
    """compose v2 where it is installed, else docker-compose."""
    if not docker_fails("compose", "version"):
        return ["docker", "compose"]
    return ["docker-compose"]


class Container:
    """One replica."""

    def __init__(self, identifier):
        self.id = identifier

    def inspect(self):
        return json.loads(docker("inspect", self.id))[0]

    @property
    def name(self):
        return self.inspect()["Name"].lstrip("/")

    @property
    def is_running(self):
        return self.inspect()["State"]["Running"]

    @property
    def is_healthy(self):
        state = self.inspect()["State"]
        return state["Running"] and state.get("Health", {}).get("Status") == "healthy"

    @property
    def started_at(self):
        return self.inspect()["State"]["StartedAt"]

    def port(self, inside):
        """The port of this machine that leads to `inside`; None while there is none."""
        bound = self.inspect()["NetworkSettings"]["Ports"].get(f"{inside}/tcp") or []
        return int(bound[0]["HostPort"]) if bound else None

    def run(self, *command):
        return docker("exec", self.id, *command)

    @property
    def address(self):
        """Inside the network of the services."""
        return self.address_in("bus")

    def address_in(self, network):
        """Empty while it has none."""
        networks = self.inspect()["NetworkSettings"]["Networks"]
        return next(one["IPAddress"] for name, one in networks.items() if name.endswith(f"_{network}"))

    @property
    def http_address(self):
        """Of a gateway, as its network has it: no proxy of the engine's is between, which ends connections by itself."""
        return self.address_in("front"), 8080

    def wait_until_healthy(self, timeout=60):
        eventually(lambda: self.is_healthy, timeout=timeout, every=0.2)


class CurveContext(zmq.Context):
    """Makes client sockets that speak CURVE with the gateway."""

    def __init__(self, files, **options):
        super().__init__(**options)
        # pyzmq takes attributes of a context for settings of sockets to come.
        object.__setattr__(self, "_keys", [files["client-developer/curve.key"], files["client-developer/curve.peers"]])

    def socket(self, *arguments, **options):
        made = super().socket(*arguments, **options)
        own, peers = (
            dict(line.split() for line in text.splitlines() if line and not line.startswith("#"))
            for text in self._keys
        )
        made.curve_secretkey, made.curve_publickey = own["secret"].encode(), own["public"].encode()
        made.curve_serverkey = peers["gateway"].encode()
        return made


def files_in(folder):
    """The texts of all files under it, by path. They belong to users of the containers, so a container reads them."""
    archive = subprocess.run(
        ["docker", "run", "--rm", "--user", "0", "--volume", f"{folder}:/secrets:ro"]
        + ["--entrypoint", "tar", "assent/gateway", "-C", "/secrets", "-c", "."],
        capture_output=True,
        check=True,
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        return {one.name[2:]: files.extractfile(one).read().decode() for one in files if one.isfile()}


class Stack(Callers):
    """The containers of one compose project, with secrets of its own."""

    def __init__(self):
        self.project = f"assent-e2e-{uuid.uuid4().hex[:8]}"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="assent-compose-"))
        self.secrets = self.folder / "secrets"
        self.scales = {}
        self.http_ports = []
        self.gateways = []
        # A range for the replicas of each gateway, below the ports that the system gives to clients.
        first = random.randrange(15000, 30000, 20)
        self.environment = dict(
            os.environ,
            ASSENT_SECRETS=str(self.secrets),
            ASSENT_HTTP_PORTS=f"{first}-{first + 9}",
            ASSENT_ZMQ_PORTS=f"{first + 10}-{first + 19}",
            COMPOSE_PROJECT_NAME=self.project,
        )

    def compose(self, *arguments, timeout=600):
        done = subprocess.run(
            [*compose_command(), "-f", str(ROOT / "docker-compose.yml"), *arguments],
            env=self.environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        if done.returncode != 0:
            raise RuntimeError(f"compose {' '.join(arguments)}: {done.stdout[-2000:]} {done.stderr[-4000:]}")
        return done.stdout

    def start(self):
        """As README.md says, to the letter; with ASSENT_TEST_IMAGES=kept without its build."""
        block = re.search(r"^```bash\n(.*?)^```", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE).group(1)
        if os.environ.get("ASSENT_TEST_IMAGES") == "kept":
            block = block.replace("docker-compose build\n", "")
        commands = block.replace("docker-compose ", " ".join(compose_command()) + " ")
        done = subprocess.run(
            ["bash", "-euc", commands], env=self.environment, cwd=ROOT, capture_output=True, text=True, timeout=3600
        )
        if done.returncode != 0:
            raise RuntimeError(f"README.md: {done.stdout[-2000:]} {done.stderr[-4000:]}")
        # What the file itself says of the number of replicas.
        return self.up(consent_service=1, gateway=1)

    def up(self, **scales):
        """Starts what is missing, with so many replicas of each service, and waits until all are healthy."""
        self.scales.update({name.replace("_", "-"): count for name, count in scales.items()})
        wanted = [word for name, count in self.scales.items() for word in ("--scale", f"{name}={count}")]
        self.compose("up", "-d", "--no-build", "--no-recreate", *wanted, timeout=START_SECONDS)
        for container in self.containers():
            container.wait_until_healthy(START_SECONDS)
        self.learn_ports()
        return self

    def stop(self):
        self.compose("down", "--volumes", "--timeout", "5")
        remove = ["--entrypoint", "rm", "assent/gateway", "-rf", "/folder/secrets"]
        docker("run", "--rm", "--user", "0", "--volume", f"{self.folder}:/folder", *remove, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def containers(self, service=None):
        """Of one service or of all, in the order of their numbers."""
        filters = ["--filter", f"label=com.docker.compose.project={self.project}"]
        if service:
            filters += ["--filter", f"label=com.docker.compose.service={service}"]
        identifiers = docker("ps", "--all", "--quiet", "--no-trunc", *filters).split()
        number = "com.docker.compose.container-number"
        found = [Container(identifier) for identifier in identifiers]
        return sorted(found, key=lambda one: int(one.inspect()["Config"]["Labels"].get(number, 0)))

    def network(self, name):
        return f"{self.project}_{name}"

    def learn_ports(self):
        """Where gateways are: the engine may give one another port and address at each start."""
        replicas = self.containers("gateway")
        self.http_ports = [port for port in (one.port(8080) for one in replicas) if port]
        self.gateways = [one.http_address for one in replicas if one.is_running]

    @property
    def http_port(self):
        return self.http_ports[0]

    @property
    def zmq_port(self):
        return self.containers("gateway-zmq")[0].port(5570)

    def zmq_context(self):
        """Its sockets have the key of a client whom the gateway lets in, and know the gateway's."""
        return CurveContext(self.files)

    def operator(self, *arguments):
        """What assentctl says, run beside the services with an operator's key."""
        return json.loads(self.compose("run", "--rm", "-T", "assentctl", *arguments, "--json"))

    @functools.cached_property
    def files(self):
        """The texts of the secrets, by path."""
        return files_in(self.secrets)

    @property
    def credentials(self):
        return json.loads(self.files["operator/credentials.json"])

    def logs(self, service=None):
        return self.compose("logs", "--no-color", *([service] if service else []))
