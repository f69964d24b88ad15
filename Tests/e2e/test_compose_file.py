# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""docker-compose.yml against the Compose Specification's own schema. What it does as a system is in compose/."""

import copy
import urllib.parse

import jsonschema
import pytest
import yaml
from check_jsonschema.builtin_schemas import get_builtin_schema
from conftest import ROOT

FILE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SCHEMA = get_builtin_schema("vendor.compose-spec")


def errors(file):
    return [error.message for error in jsonschema.validators.validator_for(SCHEMA)(SCHEMA).iter_errors(file)]


def test_the_file_is_what_the_specification_allows():
    assert errors(FILE) == []


@pytest.mark.parametrize("change", [
    {"memory_limit": "256m"}, {"restart": ["always"]}, {"depends_on": {"postgres": {"condition": "healthy"}}},
    {"healthcheck": {"every": "5s"}}])
def test_the_schema_refuses_what_compose_would(change):
    file = copy.deepcopy(FILE)
    file["services"]["gateway"].update(change)
    assert errors(file)


def test_whatever_a_service_names_is_there():
    for name, service in FILE["services"].items():
        assert set(service["networks"]) <= FILE["networks"].keys(), name
        assert set(service.get("depends_on", {})) <= FILE["services"].keys(), name
        folders = {volume.split(":")[0] for volume in service.get("volumes", []) if volume[0] not in "$."}
        assert folders <= FILE["volumes"].keys(), name


@pytest.mark.parametrize("name", [name for name in FILE["services"] if name.endswith("-service")])
def test_a_service_speaks_tls_with_postgresql_and_checks_its_certificate(name):
    url = FILE["services"][name]["environment"]["ASSENT_DATABASE_URL"]
    options = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
    assert options["sslmode"] == "verify-full" and options["sslrootcert"] == "/run/secrets/postgres-ca.pem"
