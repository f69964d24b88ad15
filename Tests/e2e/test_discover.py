# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""rpc.discover: a document that the OpenRPC specification allows, that others can read, and that tells the truth."""

import jsonschema
import pytest
from openrpc import OpenRPC

TEXT = {"type": "string"}
NAME = {"type": "string", "minLength": 1}
REFERENCE = {
    "type": "object",
    "required": ["$ref"],
    "properties": {"$ref": TEXT},
    "additionalProperties": False,
}


def closed(needed, /, **properties):
    """An object with these members and specification extensions, and no others."""
    return {
        "type": "object",
        "required": needed,
        "properties": properties,
        "patternProperties": {"^x-": {}},
        "additionalProperties": False,
    }


def or_reference(name):
    return {"oneOf": [{"$ref": f"#/definitions/{name}"}, REFERENCE]}


def table_of(name):
    return {"type": "object", "additionalProperties": {"$ref": f"#/definitions/{name}"}}


# The structure that the OpenRPC specification, version 1.3, gives a document, as JSON Schema draft 7.
OPENRPC = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    **closed(
        ["openrpc", "info", "methods"],
        openrpc={"type": "string", "pattern": r"^1\.[0-9]+\.[0-9]+$"},
        info={"$ref": "#/definitions/info"},
        servers={"type": "array", "items": {"$ref": "#/definitions/server"}},
        methods={"type": "array", "items": or_reference("method")},
        components={
            "type": "object",
            "properties": {
                "schemas": table_of("schema"),
                "errors": table_of("error"),
                "contentDescriptors": table_of("contentDescriptor"),
                "tags": table_of("tag"),
            },
            "additionalProperties": False,
        },
    ),
    "definitions": {
        "schema": {"$ref": "http://json-schema.org/draft-07/schema#"},
        "info": closed(
            ["title", "version"],
            title=TEXT,
            description=TEXT,
            termsOfService=TEXT,
            version=TEXT,
            contact=closed([], name=TEXT, email=TEXT, url=TEXT),
            license=closed([], name=TEXT, url=TEXT),
        ),
        "server": closed(["url"], url=TEXT, name=TEXT, description=TEXT, summary=TEXT, variables={"type": "object"}),
        "tag": closed(["name"], name=NAME, summary=TEXT, description=TEXT),
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "integer"}, "message": TEXT, "data": {}},
            "additionalProperties": False,
        },
        "contentDescriptor": closed(
            ["name", "schema"],
            name=NAME,
            summary=TEXT,
            description=TEXT,
            required={"type": "boolean"},
            schema={"$ref": "#/definitions/schema"},
            deprecated={"type": "boolean"},
        ),
        "method": closed(
            ["name", "params", "result"],
            name=NAME,
            summary=TEXT,
            description=TEXT,
            tags={"type": "array", "items": or_reference("tag")},
            params={"type": "array", "items": or_reference("contentDescriptor")},
            result=or_reference("contentDescriptor"),
            deprecated={"type": "boolean"},
            errors={"type": "array", "items": or_reference("error")},
            paramStructure={"enum": ["by-name", "by-position", "either"]},
            examples={"type": "array"},
            links={"type": "array"},
            servers={"type": "array", "items": {"$ref": "#/definitions/server"}},
        ),
    },
}


@pytest.fixture(scope="module")
def document(system):
    return system.client().call("rpc.discover")


def walk(node):
    yield node
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else []
    for child in children:
        yield from walk(child)


def test_the_document_is_of_the_specifications_structure(document):
    jsonschema.Draft7Validator(OPENRPC).validate(document)


def test_the_check_of_the_structure_can_fail(document):
    broken = {**document, "methods": [{"name": "x", "params": []}]}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(OPENRPC).validate(broken)


def test_another_implementation_reads_it(document):
    read = OpenRPC(**document)
    assert {method.name for method in read.methods} == {method["name"] for method in document["methods"]}


def test_names_are_unique_and_every_reference_leads_somewhere(document):
    names = [method["name"] for method in document["methods"]]
    assert len(names) == len(set(names))
    for node in walk(document):
        if isinstance(node, dict) and isinstance(node.get("$ref"), str):
            target = document
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part]


def test_every_method_of_the_flow_is_there_and_by_name(document):
    methods = {method["name"]: method for method in document["methods"]}
    for name in [
        "settings.load", "settings.setChoice", "account.get", "account.rename", "session.start", "key.create",
        "consent.get", "consent.decide", "consent.check", "consent.checkMany", "consent.link", "permission.primer",
        "notifications.get", "notifications.save", "notifications.decide", "audit.entries", "audit.export",
        "rpc.health", "rpc.stats", "rpc.cancel", "rpc.discover",
    ]:
        assert name in methods
    assert all(method["paramStructure"] == "by-name" for method in document["methods"])
    assert "events.deliver" not in methods and "account.authChanges" not in methods


def test_no_method_takes_a_member_that_it_does_not_announce(system, document):
    person, _ = system.person()
    device, _ = system.device()
    for method in document["methods"]:
        for caller in (system.client(), device, person, system.admin):
            caller.error(method["name"], {"nonsense": 1})


def test_results_are_of_the_schema_they_are_announced_with(system, document):
    person, account = system.person()
    methods = {method["name"]: method for method in document["methods"]}
    for name, params in [
        ("account.get", {}), ("consent.get", {}), ("consent.catalog", {}), ("permission.list", {}),
        ("notifications.get", {}), ("settings.load", {}), ("audit.entries", {}), ("session.list", {}),
    ]:
        schema = {**methods[name]["result"]["schema"], "components": document["components"]}
        jsonschema.Draft7Validator(schema).validate(person.call(name, params))
    device, _ = system.device()
    screen = device.call("settings.load")
    assert screen["account"] == screen["notifications"] == {"ok": True, "value": None}
    schema = {**methods["settings.load"]["result"]["schema"], "components": document["components"]}
    jsonschema.Draft7Validator(schema).validate(screen)
