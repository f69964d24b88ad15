# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Accounts, sessions and keys through the gateway, as apps use them and as somebody hostile would."""

import base64
import hashlib
import hmac
import http.client
import itertools
import json
import os
import signal
import time
import uuid

import pytest
from conftest import SERVICES, Client, RPCError, eventually
from ed25519 import public_key, sign

UNAUTHENTICATED, DENIED, NOT_FOUND, INVALID, FAILED = -32016, -32007, -32005, -32602, -32009
UNAVAILABLE = -32014

addresses = itertools.count(2)


class Stranger(Client):
    """A client at an address of its own, so that its failures are not counted against others."""

    def __init__(self, port, token=None):
        super().__init__(port, token)
        number = next(addresses)
        self.source = (f"127.{1 + number // 65536}.{number // 256 % 256}.{number % 256}", 0)

    def connect(self, timeout):
        made = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout, source_address=self.source)
        made.connect()
        return made


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def claims_of(token):
    return json.loads(decode(token.split(".")[1]))


def now(offset=0):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + offset))


def new_key(system, **what):
    return system.admin.call("key.create", {"name": f"k-{uuid.uuid4()}", "owner": "tests", **what})


def session(system, account, **more):
    return system.admin.call("session.start", {"accountId": account, "authenticatedAt": now(), **more})


@pytest.fixture(scope="module")
def forge(system):
    """Makes tokens with the system's own signing key, or another, of any claims."""
    seed = decode(json.loads((system.data / "account-service.signing-keys.json").read_text())["keys"][0]["seed"])

    def make(claims, seed=seed, prefix="at1"):
        payload = claims if isinstance(claims, bytes) else json.dumps(claims, separators=(",", ":")).encode()
        signed = f"{prefix}.{encode(payload)}"
        return f"{signed}.{encode(sign(seed, signed.encode()))}"

    make.seed = seed
    return make


# --- as apps use them -----------------------------------------------------------------------------------------------


def test_a_person_from_sign_in_to_sign_out(system):
    device, device_id = system.device()
    account = f"u-{uuid.uuid4()}"
    made = system.key("account").call(
        "account.create", {"accountId": account, "name": "Maya Lindqvist", "email": "maya@example.com", "plan": "Plus"}
    )
    assert made["initials"] == "ML" and made["revision"] == 1 and made["avatar"] == {"kind": "initials"}
    grant = system.key("session").call(
        "session.start",
        {"accountId": account, "deviceId": device_id, "deviceName": "Maya's phone", "authenticatedAt": now()},
    )
    maya = system.client(grant["token"])
    assert maya.call("account.get", {})["name"] == "Maya Lindqvist"
    renamed = maya.call("account.rename", {"name": "Maya Ek"})
    assert renamed["initials"] == "ME" and renamed["entryId"]
    assert maya.call("account.update", {"locale": "sv-se", "timeZone": "Europe/Stockholm"})["locale"] == "sv-SE"
    assert maya.call("account.setAppearance", {"appearance": "dark"})["appearance"] == "dark"
    assert maya.call("account.block", {"blockedId": "u-other"})["count"] == 1
    assert [item["blockedId"] for item in maya.call("account.blocked", {})["items"]] == ["u-other"]
    last = maya.call("account.unblock", {"blockedId": "u-other"})
    assert last["count"] == 0 and last["items"] == []
    (listed,) = maya.call("session.list", {})["items"]
    assert listed["current"] and listed["deviceName"] == "Maya's phone" and listed["platform"] == "ios"

    trail = maya.call("audit.entries", {"after": last["entryId"]})["items"]
    kinds = [entry["kind"] for entry in trail if entry["source"] == "account-service"]
    assert kinds == [
        "account.unblocked",
        "account.blocked",
        "account.appearanceSet",
        "account.updated",
        "account.renamed",
        "session.started",
        "account.created",
    ]

    out = maya.call("session.signOut", {})
    assert out["count"] == 1 and out["device"]["deviceId"] != device_id
    after = system.client(out["device"]["token"])
    assert after.call("consent.get", {})
    eventually(lambda: Stranger(system.http_port, grant["token"]).error("account.get").code == UNAUTHENTICATED)
    eventually(lambda: Stranger(system.http_port, device.token).error("consent.get").code == UNAUTHENTICATED)
    assert system.client().error("session.refresh", {"refreshToken": grant["refreshToken"]}).reason == "sessionEnded"


def test_other_services_follow_the_accounts_time_zone(system):
    maya, _ = system.person()
    maya.call("account.update", {"timeZone": "Asia/Tokyo"})
    eventually(lambda: maya.call("notifications.get")["quietHours"]["timeZone"] == "Asia/Tokyo")


def test_a_new_app_has_its_own_keys_and_its_own_default_regulation(system):
    name = f"brand-{uuid.uuid4().hex[:8]}"
    params = {"app": name, "name": "Brand", "defaultLocale": "de", "defaultRegulation": "gdpr"}
    made = system.admin.call("app.publish", params)
    assert made["adminKey"].startswith(f"assent_sk.{name}.")
    assert "adminKey" not in system.admin.call("app.publish", params)
    start = {"appKey": made["publishableKey"], "platform": "web", "appVersion": "1"}
    device = system.client(system.client().call("session.startDevice", start)["token"])
    eventually(lambda: device.call("consent.get")["regulation"] == "gdpr")
    account = system.client(made["adminKey"]).call("account.create", {"name": "Ada", "email": "ada@example.com"})
    assert account["locale"] == "de"


@pytest.mark.parametrize(
    "method, params, field",
    [
        ("account.rename", {"name": ""}, "name"),
        ("account.rename", {"name": " \t"}, "name"),
        ("account.rename", {"name": "a\u0000b"}, "name"),
        ("account.rename", {"name": "a\u202eb"}, "name"),
        ("account.rename", {"name": "a" * 201}, "name"),
        ("account.rename", {"name": 5}, "name"),
        ("account.rename", {}, "name"),
        ("account.rename", {"name": "Maya", "nickname": "M"}, "nickname"),
        ("account.update", {"locale": "english please"}, "locale"),
        ("account.update", {"timeZone": "Mars/Olympus"}, "timeZone"),
        ("account.update", {"timeZone": "../../etc/passwd"}, "timeZone"),
        ("account.setAppearance", {"appearance": "sepia"}, "appearance"),
        ("account.block", {"blockedId": "someone@example.com"}, "blockedId"),
        ("account.blocked", {"limit": 0}, "limit"),
        ("account.blocked", {"cursor": "nonsense"}, "cursor"),
        ("session.list", {"limit": 101}, "limit"),
    ],
)
def test_bad_params_are_refused_by_name_and_not_quoted(system, method, params, field):
    maya, _ = system.person()
    before = maya.call("account.get", {})
    error = maya.error(method, params)
    assert error.code == INVALID
    assert error.data.get("field") == field, error
    assert error.data["processed"] is False
    for text in ("Mars", "passwd", "someone", "sepia", "english please"):
        assert text not in error.message
    assert maya.call("account.get", {}) == before


def test_a_blank_name_is_told_to_the_person(system):
    maya, _ = system.person()
    assert maya.error("account.rename", {"name": "  "}).data["display"] == "Enter your name."


def test_a_repeated_call_happens_once(system):
    maya, account = system.person()
    key = {"Idempotency-Key": str(uuid.uuid4())}
    first = maya.call("account.rename", {"name": "Maya Ek"}, key)
    maya.call("account.rename", {"name": "Someone Else"})
    assert maya.call("account.rename", {"name": "Maya Ek"}, key) == first
    assert maya.call("account.get", {})["name"] == "Someone Else"
    assert maya.error("account.rename", {"name": "Maya Ekberg"}, key).reason == "idempotencyKeyReused"


def test_a_keys_text_is_shown_once(system):
    params = {"name": f"k-{uuid.uuid4()}", "owner": "tests", "scopes": ["account"]}
    header = {"Idempotency-Key": str(uuid.uuid4())}
    made = system.admin.call("key.create", params, header)
    again = system.admin.call("key.create", params, header)
    assert again["keyId"] == made["keyId"] and "key" not in again
    assert made["key"] not in json.dumps(system.admin.call("key.list", {"limit": 200}))
    assert system.client(made["key"]).error("account.get", {"accountId": "nobody"}).code == NOT_FOUND


# --- as somebody hostile would --------------------------------------------------------------------------------------


def test_tokens_that_are_not_whole_are_refused(system):
    maya, _ = system.person()
    token = maya.token
    assert maya.call("account.get", {})
    head, payload, signature = token.split(".")
    other = claims_of(token) | {"sub": "someone-else"}
    bad = [token[:count] for count in (1, 4, len(head) + 1, len(token) // 2, len(token) - 1)]
    bad += [token + "A", token + ".", token + "=", token + "," + token, token.upper()]
    bad += [f"{head}.{encode(json.dumps(other).encode())}.{signature}", f"{head}.{payload}.", f"{head}.{payload}"]
    bad += [f"{head}.{payload}.{encode(b'0' * 64)}", f"at2.{payload}.{signature}", f"{head}..{signature}"]
    bad += ["at1..", "at1.", ".", "at1." + "A" * 4000, "null", "undefined"]
    for text in bad:
        error = Stranger(system.http_port, text).error("account.get")
        assert (error.code, error.http_status) == (UNAUTHENTICATED, 401), text
    assert maya.call("account.get", {})


def test_no_algorithm_but_the_one_is_believed(system, forge):
    maya, _ = system.person()
    claims = claims_of(maya.token)
    payload = encode(json.dumps(claims).encode())
    key = public_key(forge.seed)
    signed = f"at1.{payload}"
    bad = [f"{signed}.{encode(hmac.new(key, signed.encode(), name).digest())}" for name in ("sha256", "sha512")]
    bad += [f"{signed}.{encode(hmac.new(encode(key).encode(), signed.encode(), 'sha512').digest())}"]
    for algorithm in ("none", "None", "HS256", "EdDSA"):
        header = encode(json.dumps({"alg": algorithm, "typ": "JWT", "kid": claims["kid"]}).encode())
        body = f"{header}.{payload}"
        bad += [f"{body}.", f"{body}.{encode(sign(forge.seed, body.encode()))}"]
    # Of another key: one that says it is ours, one that nobody knows, and one of small order.
    bad += [forge(claims, seed=b"\1" * 32), forge(claims | {"kid": "AAAAAAAAAAAA"}), forge(claims, prefix="rt1")]
    bad += [f"{signed}.{encode(bytes([1]) + bytes(63))}"]
    for text in bad:
        assert Stranger(system.http_port, text).error("account.get").code == UNAUTHENTICATED, text
    assert Stranger(system.http_port, forge(claims)).call("account.get", {})


def test_what_the_signing_key_signed_is_believed_within_reason_only(system, forge):
    maya, _ = system.person()
    claims = claims_of(maya.token)

    def error(changes, payload=None):
        changed = {name: value for name, value in (claims | changes).items() if value is not ...}
        return Stranger(system.http_port, forge(payload or changed)).error("account.get")

    assert error({"exp": int(time.time()) - 1}).reason == "expired"
    for changes in (
        {"exp": ...}, {"exp": None}, {"exp": "9999999999"}, {"exp": 1e300}, {"kid": ...}, {"sid": ...}, {"app": ...},
        {"device": ...}, {"generation": "1"}, {"sub": 5}, {"exp": -(2**63)},
    ):
        assert error(changes).code == UNAUTHENTICATED, changes
    for payload in (b"[]", b"{", b"\0" * 8, b'{"kid":"\xff"}', b"[" * 2000, b'"at1"'):
        assert error({}, payload).code == UNAUTHENTICATED, payload
    # Times beyond any clock end no program.
    for moment in (2**63 - 1, 2**53):
        assert Stranger(system.http_port, forge(claims | {"exp": moment, "authTime": moment})).call("account.get", {})
    # A token without an account is a device's.
    assert error({"sub": ...}).code == DENIED


@pytest.mark.parametrize("header", ["Basic bWF5YTpwYXNz", "Bearer", "Bearer ", "bearer x y", "Token x", "x"])
def test_other_authorization_is_refused(system, header):
    error = Stranger(system.http_port).error("account.get", {}, {"Authorization": header})
    assert error.code == UNAUTHENTICATED


def test_a_bad_credential_is_not_passed_over_for_a_good_one_or_for_none(system):
    maya, account = system.person()
    stranger = Stranger(system.http_port, maya.token)
    assert stranger.error("account.get", {"_meta": {"token": "at1.x.y"}}).code == UNAUTHENTICATED
    assert Stranger(system.http_port, "nonsense").error("app.get").code == UNAUTHENTICATED
    # `_meta` wins over the header.
    other, _ = system.person()
    assert stranger.call("account.get", {"_meta": {"token": other.token}}) == other.call("account.get", {})


@pytest.mark.parametrize("credential", ["publishableKey", "refreshToken"])
def test_what_is_no_access_token_is_no_credential(system, credential):
    _, account = system.person()
    text = system.credentials.get(credential) or session(system, account)[credential]
    assert Stranger(system.http_port, text).error("account.get").code == UNAUTHENTICATED


def test_a_caller_cannot_say_who_it_is(system):
    claim = {"kind": "key", "app": "default", "name": "admin", "role": "admin"}
    stranger = Stranger(system.http_port)
    assert stranger.error("key.list", {"_meta": {"principal": claim}}).code in (INVALID, UNAUTHENTICATED)
    assert stranger.error("key.list", {"principal": claim}).code in (INVALID, UNAUTHENTICATED)
    headers = {"principal": json.dumps(claim), "X-Principal": "admin"}
    assert stranger.error("key.list", {}, headers).code == UNAUTHENTICATED


@pytest.mark.parametrize("method", ["account.authChanges", "session.verify", "events.deliver"])
def test_methods_between_services_do_not_exist_outside(system, method):
    for client in (system.client(), system.admin, system.person()[0]):
        assert client.error(method, {}).code == -32601


def test_scopes_and_roles_admit_to_what_they_name(system):
    maya, account = system.person()
    device, _ = system.device()
    callers = {scope: system.key(scope) for scope in ("session", "account", "agent", "check", "audit", "consent")}
    callers |= {role: system.client(new_key(system, role=role)["key"]) for role in ("officer", "operator", "admin")}
    callers |= {"U": maya, "D": device}
    start = {"accountId": account, "authenticatedAt": now()}
    table = [
        ("session.start", start, {"session", "admin"}),
        ("account.create", {"name": "A", "email": "a@example.com"}, {"account", "admin"}),
        ("account.rename", {"accountId": account, "name": "B"}, {"agent", "admin", "U"}),
        ("account.update", {"accountId": account, "plan": "Pro"}, {"account", "admin"}),
        ("account.setAppearance", {"accountId": account, "appearance": "dark"}, {"U"}),
        ("account.block", {"accountId": account, "blockedId": "u-x"}, {"U"}),
        ("session.list", {"accountId": account}, {"U"}),
        ("key.list", {}, {"admin"}),
        ("app.publish", {"name": "default"}, {"admin"}),
        ("rpc.stats", {}, {"operator", "admin"}),
    ]
    for method, params, admitted in table:
        for name, client in callers.items():
            if name in admitted:
                assert client.call(method, params) is not None, (method, name)
            else:
                assert client.error(method, params).code == DENIED, (method, name)
    assert system.client().error("key.list").code == UNAUTHENTICATED


def test_nobody_names_anothers_account(system):
    maya, _ = system.person()
    _, theo = system.person()
    for method, params in [
        ("account.get", {}), ("account.rename", {"name": "X"}), ("account.update", {"locale": "en"}),
        ("account.setAppearance", {"appearance": "dark"}), ("account.block", {"blockedId": "u-x"}),
        ("account.blocked", {}), ("session.list", {}), ("session.signOut", {}), ("session.signOutEverywhere", {}),
    ]:
        assert maya.error(method, params | {"accountId": theo}).code == DENIED, method


def test_apps_do_not_see_each_other(system):
    name = f"brand-{uuid.uuid4().hex[:8]}"
    made = system.admin.call("app.publish", {"app": name, "name": "Brand"})
    brand = system.client(made["adminKey"])
    assert brand.call("app.get")["app"] == name
    maya, account = system.person()
    mine = session(system, account)
    brand.call("account.create", {"accountId": account, "name": "Brand Person", "email": "b@brand.example"})
    theirs = brand.call("session.start", {"accountId": account, "authenticatedAt": now()})
    person = system.client(theirs["token"])
    assert person.call("account.get", {})["name"] == "Brand Person"
    assert maya.call("account.get", {})["name"] != "Brand Person"
    assert person.error("session.signOut", {"sessionId": mine["sessionId"]}).code == NOT_FOUND
    for method, params in [
        ("session.start", {"accountId": account, "deviceId": mine["deviceId"], "authenticatedAt": now()}),
        ("session.reauthenticate", {"accountId": account, "sessionId": mine["sessionId"], "authenticatedAt": now()}),
        ("key.revoke", {"keyId": new_key(system, scopes=["check"])["keyId"]}),
        ("app.publish", {"app": "default", "name": "Stolen"}),
        ("app.publish", {"app": "third", "name": "Stolen"}),
        ("account.get", {"accountId": system.person()[1]}),
    ]:
        assert brand.error(method, params).code == NOT_FOUND, method
    assert person.call("session.signOutEverywhere", {})["count"] == 1
    assert system.client(mine["token"]).call("account.get", {})
    device, _ = system.device()
    linked = {"deviceToken": device.token}
    assert system.client(brand.call("session.start", {"accountId": account, "authenticatedAt": now()})["token"]).error(
        "consent.link", linked
    ).code in (INVALID, UNAUTHENTICATED, NOT_FOUND)


def believed(client, params):
    """Whether the gateway still believes a credential. UNAVAILABLE is a refusal too."""
    try:
        client.call("account.get", params)
        return True
    except RPCError as error:
        assert error.code in (UNAUTHENTICATED, UNAVAILABLE), error
        return False


def ended_within_a_second(clients, end, params=None):
    """A second after `end` was answered no gateway believes the clients, and soon it says why."""
    for client in clients:
        assert client.call("account.get", params or {})
    end()
    answered = time.monotonic()
    while time.monotonic() < answered + 1:
        time.sleep(0.02)
    for client in clients:
        assert not believed(client, params or {})
    for client in clients:
        eventually(lambda: client.error("account.get", params or {}).code == UNAUTHENTICATED)


def test_an_ended_session_is_refused_within_a_second(system):
    maya, account = system.person()
    other = session(system, account)
    ended_within_a_second(
        [system.client(other["token"])], lambda: maya.call("session.signOut", {"sessionId": other["sessionId"]})
    )
    assert maya.call("account.get", {})


def test_signing_out_everywhere_ends_all_within_a_second(system):
    maya, account = system.person()
    others = [system.sign_in(account) for _ in range(4)]
    ended_within_a_second([maya, *others], lambda: maya.call("session.signOutEverywhere", {}))


def test_a_revoked_key_is_refused_within_a_second(system):
    _, account = system.person()
    made = new_key(system, scopes=["account"])
    ended_within_a_second(
        [system.client(made["key"])],
        lambda: system.admin.call("key.revoke", {"keyId": made["keyId"]}),
        {"accountId": account},
    )


def test_a_key_ends_when_it_said(system):
    _, account = system.person()
    made = new_key(system, scopes=["account"], expiresAt=now(2))
    client = system.client(made["key"])
    eventually(lambda: client.error("account.get", {"accountId": account}).reason == "expired")


def test_a_new_credential_is_good_at_once(system):
    account = system.person()[1]
    for _ in range(10):
        made = new_key(system, scopes=["account"])
        assert system.client(made["key"]).call("account.get", {"accountId": account})
        assert system.sign_in(account).call("account.get", {})


def test_refresh_tokens_rotate_and_a_stolen_one_ends_the_session(system):
    _, account = system.person()
    first = session(system, account)
    anyone = system.client()
    second = anyone.call("session.refresh", {"refreshToken": first["refreshToken"]})
    third = anyone.call("session.refresh", {"refreshToken": second["refreshToken"]})
    assert len({grant["refreshToken"] for grant in (first, second, third)}) == 3
    holder = system.client(third["token"])
    assert holder.call("account.get", {})["accountId"] == account

    def steal():
        assert anyone.error("session.refresh", {"refreshToken": first["refreshToken"]}).reason == "refreshTokenReused"

    ended_within_a_second([holder], steal)
    assert anyone.error("session.refresh", {"refreshToken": third["refreshToken"]}).reason == "sessionEnded"


def test_a_refresh_whose_answer_was_lost_is_repeated(system):
    _, account = system.person()
    first = session(system, account)
    header = {"Idempotency-Key": str(uuid.uuid4())}
    params = {"refreshToken": first["refreshToken"]}
    second = system.client().call("session.refresh", params, header)
    assert system.client().call("session.refresh", params, header) == second
    assert system.client(second["token"]).call("account.get", {})


@pytest.mark.parametrize("change", ["app", "session", "number", "code", "cut"])
def test_a_forged_refresh_token_ends_nothing(system, change):
    _, account = system.person()
    grant = session(system, account)
    parts = grant["refreshToken"].split(".")
    forged = {
        "app": [parts[0], "other", *parts[2:]],
        "session": [*parts[:2], session(system, account)["sessionId"], *parts[3:]],
        "number": [*parts[:3], "1", parts[4]],
        "code": [*parts[:4], encode(bytes(32))],
        "cut": parts[:4],
    }[change]
    error = system.client().error("session.refresh", {"refreshToken": ".".join(forged)})
    assert error.code == UNAUTHENTICATED and error.reason == "invalidRefreshToken"
    assert system.client().call("session.refresh", {"refreshToken": grant["refreshToken"]})


def test_devices_with_one_idempotency_key_are_two(system):
    params = {"appKey": system.credentials["publishableKey"], "platform": "ios", "appVersion": "1"}
    made = [system.client().call("session.startDevice", params, {"Idempotency-Key": "1"}) for _ in range(2)]
    assert made[0]["deviceId"] != made[1]["deviceId"]


def test_verifying_the_person_again_is_for_the_same_account(system):
    _, account = system.person()
    grant = session(system, account)
    again = system.key("session").call(
        "session.reauthenticate", {"sessionId": grant["sessionId"], "accountId": account, "authenticatedAt": now()}
    )
    assert claims_of(again["token"])["authTime"] >= claims_of(grant["token"])["authTime"]
    error = system.key("session").error(
        "session.reauthenticate",
        {"sessionId": grant["sessionId"], "accountId": system.person()[1], "authenticatedAt": now()},
    )
    assert error.code == FAILED and error.reason == "otherAccount"
    assert system.key("session").error(
        "session.start", {"accountId": account, "authenticatedAt": now(3600)}
    ).data["field"] == "authenticatedAt"


def test_bad_credentials_are_limited_by_address_and_good_ones_are_not(system):
    maya, _ = system.person()
    guesser = Stranger(system.http_port)
    guesser.token = maya.token
    assert guesser.call("account.get", {})
    codes = []
    for _ in range(60):
        guesser.token = f"assent_sk.default.{uuid.uuid4().hex}"
        codes.append(guesser.error("account.get"))
        if codes[-1].http_status == 429:
            break
    assert codes[-1].http_status == 429 and codes[-1].reason == "failureLimit"
    assert codes[-1].data["retryAfterMs"] > 0
    guesser.token = maya.token
    assert guesser.call("account.get", {})
    assert Stranger(system.http_port, system.person()[0].token).call("account.get", {})


def test_new_devices_are_limited_by_address(system):
    crowd = Stranger(system.http_port)
    params = {"appKey": "assent_pk.default.none", "platform": "ios", "appVersion": "1"}
    errors = []
    while len(errors) < 2000 and (not errors or errors[-1].http_status != 429):
        errors.append(crowd.error("session.startDevice", params))
    assert errors[-1].status == "RESOURCE_EXHAUSTED" and errors[-1].data["retryAfterMs"] > 0
    assert errors[0].reason == "unknownAppKey"
    assert system.device()


def test_nobody_is_believed_without_news_and_everybody_again_after_restarts(own_system):
    system = own_system().start()
    maya, account = system.person()
    ended = session(system, account)
    maya.call("session.signOut", {"sessionId": ended["sessionId"]})
    revoked = new_key(system, scopes=["account"])
    system.admin.call("key.revoke", {"keyId": revoked["keyId"]})

    # account-service stands still: what might have been revoked meanwhile is not believed.
    still = system.pid("account-service")
    os.kill(still, signal.SIGSTOP)
    try:
        error = eventually(lambda: maya.error("account.get") if not believed(maya, {}) else None)
        assert error.code == UNAVAILABLE and error.http_status == 503
        assert error.data["retryable"] and error.data["processed"] is False
        assert not believed(Stranger(system.http_port, revoked["key"]), {"accountId": account})
    finally:
        os.kill(still, signal.SIGCONT)
    eventually(lambda: maya.call("account.get"))

    for program in ("gateway", "account-service"):
        before = system.pid(program)
        os.kill(before, signal.SIGKILL)
        eventually(lambda: system.pid(program) != before)
        eventually(lambda: maya.call("account.get"))
        assert system.admin.call("key.list", {})["items"]
        assert Stranger(system.http_port, ended["token"]).error("account.get").code == UNAUTHENTICATED
        params = {"accountId": account}
        assert Stranger(system.http_port, revoked["key"]).error("account.get", params).code == UNAUTHENTICATED


def test_secrets_and_names_are_in_no_log(system):
    maya, account = system.person(name="Ottoline Unmistakable", email="ottoline@unmistakable.example")
    maya.error("account.rename", {"name": "Unmistakable\u0000"})
    maya.error("account.update", {"timeZone": "Unmistakable/Zone"})
    grant = session(system, account, deviceName="Unmistakable phone")
    system.client().call("session.refresh", {"refreshToken": grant["refreshToken"]})
    system.client().error("session.refresh", {"refreshToken": grant["refreshToken"]})
    key = new_key(system, scopes=["account"])["key"]
    Stranger(system.http_port, key + "x").error("account.get")
    system.client(key).call("account.update", {"accountId": account, "email": "other@unmistakable.example"})
    texts = ["unmistakable", account, key, grant["token"], grant["refreshToken"], grant["sessionId"]]
    texts.append(hashlib.sha256(key.encode()).hexdigest())
    for service in SERVICES:
        log = system.log(service).lower()
        for text in texts:
            assert text.lower() not in log, service
