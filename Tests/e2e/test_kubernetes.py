# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""The manifests in deploy/kubernetes: valid against Kubernetes' own schemas, and complete."""

import re
import subprocess
import urllib.parse

import kubernetes_validate
import pytest
import yaml
from conftest import BINARIES, ROOT, SERVICES
from test_curve import CurveSystem, plain_environment

FOLDER = ROOT / "deploy" / "kubernetes"
# The oldest release that is still kept up at the time of writing, and the newest that the validator knows.
VERSIONS = ["1.34", kubernetes_validate.latest_version()]
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
# What is made by hand when it is wanted.
BY_HAND = ["operator/recover.yaml"]
MANIFESTS = [
    (str(path.relative_to(FOLDER)), manifest)
    for path in sorted(FOLDER.rglob("*.yaml"))
    if path.name != "kustomization.yaml"
    for manifest in yaml.safe_load_all(path.read_text())
]
WORKLOADS = [*SERVICES, "gateway-zmq"]


def of_kind(kind):
    found = [manifest for _, manifest in MANIFESTS if manifest["kind"] == kind]
    return {manifest["metadata"].get("name", manifest["metadata"].get("generateName")): manifest for manifest in found}


def pod(name):
    return of_kind("Deployment")[name]["spec"]["template"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("file, manifest", MANIFESTS, ids=lambda one: one if isinstance(one, str) else one["kind"])
def test_a_manifest_is_valid(file, manifest, version):
    kubernetes_validate.validate(manifest, version, strict=True)


def test_the_validator_refuses_what_kubernetes_would():
    deployment = dict(of_kind("Deployment")["gateway"], spec={"replica": 2})
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(deployment, VERSIONS[0], strict=True)


def test_every_manifest_is_applied():
    assert sorted([*KUSTOMIZATION["resources"], *BY_HAND]) == sorted({file for file, _ in MANIFESTS})


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_program_is_kept_available_scaled_and_found(name):
    labels = pod(name)["metadata"]["labels"]
    assert of_kind("Deployment")[name]["spec"]["selector"]["matchLabels"].items() <= labels.items()
    budget = of_kind("PodDisruptionBudget")[name]["spec"]
    assert budget["maxUnavailable"] == 1 and budget["selector"]["matchLabels"].items() <= labels.items()
    scaler = of_kind("HorizontalPodAutoscaler")[name]["spec"]
    assert scaler["scaleTargetRef"]["name"] == name and "replicas" not in of_kind("Deployment")[name]["spec"]
    service = of_kind("Service")[name]["spec"]
    assert service["selector"].items() <= labels.items()
    ports = {port["name"] for port in pod(name)["spec"]["containers"][0]["ports"]}
    assert {port["targetPort"] for port in service["ports"]} <= ports
    # Callers on the bus resolve a name to every replica.
    assert (service.get("clusterIP") == "None") == (name != "gateway")


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_program_runs_without_rights_with_probes_and_a_limit(name):
    spec = pod(name)["spec"]
    assert spec["securityContext"]["runAsNonRoot"] is True and spec["automountServiceAccountToken"] is False
    container = spec["containers"][0]
    security = container["securityContext"]
    assert security["readOnlyRootFilesystem"] is True and security["allowPrivilegeEscalation"] is False
    assert security["capabilities"]["drop"] == ["ALL"]
    assert {"startupProbe", "readinessProbe", "livenessProbe"} <= container.keys()
    assert container["resources"]["limits"]["memory"]


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_program_is_killed_when_it_hangs_and_not_while_it_cannot_serve(name):
    container = pod(name)["spec"]["containers"][0]
    metrics = next(port for port in container["ports"] if port["name"] == "metrics")
    listens = next(entry["value"] for entry in container["env"] if entry["name"] == "ASSENT_METRICS_LISTEN")
    assert listens == f"0.0.0.0:{metrics['containerPort']}"
    # Only the program's own thread answers there; it does from before a recovery on (test_observability.py).
    for probe in ("startupProbe", "livenessProbe"):
        assert container[probe]["httpGet"] == {"path": "/health/live", "port": "metrics"}
    ready = container["readinessProbe"]
    assert ready.get("exec", {}).get("command", [])[:2] == ["assentctl", "health"] or (
        ready["httpGet"]["path"] == "/health/ready")


@pytest.mark.parametrize("name", WORKLOADS)
def test_secrets_are_files(name):
    assert "Secret" not in {manifest["kind"] for _, manifest in MANIFESTS}
    spec = pod(name)["spec"]
    volume = next(volume for volume in spec["volumes"] if volume["name"] == "secrets")
    # 0440: root's, and the group's.
    assert volume["secret"]["defaultMode"] == 0o440 and spec["securityContext"]["fsGroup"] == 10001
    assert all("value" in entry for entry in spec["containers"][0]["env"])


@pytest.mark.parametrize("name", [name for name in SERVICES if name != "gateway"])
def test_a_service_speaks_tls_with_postgresql_and_checks_its_certificate(name):
    spec = pod(name)["spec"]
    url = next(entry["value"] for entry in spec["containers"][0]["env"] if entry["name"] == "ASSENT_DATABASE_URL")
    options = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
    folder = next(mount["mountPath"] for mount in spec["containers"][0]["volumeMounts"] if mount["name"] == "secrets")
    assert options["sslmode"] == "verify-full" and options["sslrootcert"] == f"{folder}/postgres-ca.pem"


def test_whatever_is_not_listed_is_cut_off():
    everything = of_kind("NetworkPolicy")["nothing"]["spec"]
    assert everything["podSelector"] == {} and set(everything["policyTypes"]) == {"Ingress", "Egress"}
    assert "ingress" not in everything and "egress" not in everything


@pytest.fixture(scope="module")
def curve(tmp_path_factory):
    system = CurveSystem(tmp_path_factory.mktemp("curve")).start_all()
    yield system
    system.stop()


@pytest.mark.parametrize("service", [name for name in SERVICES if name != "gateway"])
def test_the_job_of_a_recovery_reaches_the_service_with_what_its_manifest_gives_it(curve, service):
    """The page's way to make it; its command, environment and files, where a name is a port of this machine."""
    made = re.search(r"^(sed .*) \| kubectl -n assent create -f -$", (FOLDER / "README.md").read_text(), re.MULTILINE)
    command = made.group(1).replace("consent-service", service)
    text = subprocess.run(["bash", "-euc", command], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    job = yaml.safe_load(text)["spec"]["template"]["spec"]
    container, = job["containers"]
    assert job["volumes"][0]["secret"]["secretName"] == "operator"
    folder = container["volumeMounts"][0]["mountPath"]
    environment = {}
    for entry in container["env"]:
        where = re.fullmatch(r"tcp://([a-z-]+):5570", entry["value"])
        given = curve.endpoint(where.group(1)) if where else entry["value"].replace(folder, str(curve.keys / "operator"))
        environment[entry["name"]] = given
    assert container["command"] == ["assentctl"]
    done = subprocess.run(
        [str(BINARIES / "assentctl"), *container["args"]], env={**plain_environment(), **environment}, cwd=curve.folder,
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and re.fullmatch(f"{service} (lacks nothing|serves: .*)\n", done.stdout), done


def test_the_job_of_a_recovery_runs_without_rights_and_may_reach_services():
    template = of_kind("Job")["recover-"]["spec"]["template"]
    security = template["spec"]["containers"][0]["securityContext"]
    assert template["spec"]["securityContext"]["runAsNonRoot"] is True
    assert security["readOnlyRootFilesystem"] is True and security["capabilities"]["drop"] == ["ALL"]
    labels = template["metadata"]["labels"].items()
    policies = [policy["spec"] for policy in of_kind("NetworkPolicy").values()]
    ways_out = [way for policy in policies if policy["podSelector"].get("matchLabels", {"": ""}).items() <= labels
                for way in policy.get("egress", [])]
    to_services = [{"podSelector": {"matchLabels": {"assent/role": "service"}}}]
    assert {"to": to_services, "ports": [{"port": 5570}]} in ways_out
    ways_in = of_kind("NetworkPolicy")["services"]["spec"]["ingress"]
    assert any(way["from"][0]["podSelector"]["matchLabels"].items() <= labels for way in ways_in)


def test_the_page_makes_every_secret_that_a_manifest_names_and_can_be_followed_again():
    text = (FOLDER / "README.md").read_text()
    programs = re.search(r"^for program in (.*?); do$", text, re.MULTILINE | re.DOTALL).group(1).replace("\\", "").split()
    pods = [manifest["spec"]["template"]["spec"] for _, manifest in MANIFESTS if manifest["kind"] in ("Deployment", "Job")]
    named = {volume["secret"]["secretName"] for spec in pods for volume in spec["volumes"] if "secret" in volume}
    assert named == set(programs)
    # "create" alone fails where there is one already.
    made = [line for line in text.splitlines() if "create secret" in line]
    assert made and all("--dry-run=client -o yaml |" in line for line in made)
