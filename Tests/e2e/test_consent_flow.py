# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Consent through the gateway: as a screen, a tracker and an officer use it, and as somebody hostile would."""

import hashlib
import json
import threading
import time
import uuid

import pytest
from conftest import eventually

UNAUTHENTICATED, DENIED, EXISTS, INVALID, FAILED = -32016, -32007, -32006, -32602, -32009

CONTEXT = {"appVersion": "2.1.0", "osVersion": "iOS 26", "locale": "en", "surface": "banner", "surfaceVersion": "3"}
OPTIONAL = ["analytics", "marketing", "personalization", "functional"]


def category(state, name):
    return next(one for one in state["categories"] if one["id"] == name)


def decide(client, version=1, decisions=None, **more):
    return client.call("consent.decide", decision(version, decisions, **more))


def decision(version=1, decisions=None, **more):
    decisions = decisions if decisions is not None else {name: True for name in OPTIONAL}
    return {"policyVersion": version, "decisions": decisions, "method": "save", "context": CONTEXT, **more}


def accept_all(client, version=1, **more):
    return client.call("consent.grantAll", {"policyVersion": version, "context": CONTEXT, **more})


def check(client, account, name, **more):
    return client.call("consent.check", {"accountId": account, "category": name, **more})


def ago(seconds):
    moment = time.time() - seconds
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment)) + f".{int(moment * 1000) % 1000:03d}Z"


@pytest.fixture(scope="module")
def tracker(system):
    return system.key("check")


@pytest.fixture
def own_app(system):
    """(admin client, publishable key) of an app of its own, whose policies nobody else sees."""

    def make(**record):
        app = f"app-{uuid.uuid4().hex[:12]}"
        made = system.admin.call("app.publish", {"app": app, "name": "Tern", **record})
        admin = system.client(made["adminKey"])
        eventually(lambda: admin.call("app.get")["app"] == app)
        return admin, made["publishableKey"]

    return make


def device_of(system, publishable_key):
    started = system.client().call(
        "session.startDevice", {"appKey": publishable_key, "platform": "ios", "appVersion": "2.4"}
    )
    return system.client(started["token"])


# --- the screen -----------------------------------------------------------------------------------------------------


def test_the_whole_screen_of_one_person(system, tracker):
    person, account = system.person()
    catalog = system.client().call("consent.catalog")
    version = catalog["policyVersion"]
    assert [one["id"] for one in catalog["categories"]] == ["essential"] + OPTIONAL
    assert {one["id"] for one in catalog["regulations"]} >= {"gdpr", "ukGdpr", "ccpa", "dpdp"}

    fresh = person.call("consent.get")
    assert (fresh["needsConsent"], fresh["promptReason"]) == (True, "missing")
    assert fresh["summary"] == "0 of 4 optional categories enabled"
    assert category(fresh, "essential")["allowed"] and category(fresh, "essential")["required"]
    assert all(category(fresh, name)["status"] == "notDetermined" for name in OPTIONAL)
    assert check(tracker, account, "analytics") == {"allowed": False, "reason": "undecided"}

    accepted = accept_all(person, version)
    assert accepted["summary"] == "4 of 4 optional categories enabled" and not accepted["needsConsent"]
    assert all(category(accepted, name)["method"] == "acceptAll" for name in OPTIONAL)
    assert check(tracker, account, "analytics")["reason"] == "granted"

    toggled = decide(person, version, {"marketing": False}, method="toggle")
    assert toggled["enabledCount"] == 3 and category(toggled, "marketing")["reason"] == "denied"

    withdrawn = person.call("consent.withdraw", {"categories": ["analytics"]})
    assert category(withdrawn, "analytics")["status"] == "denied" and not withdrawn["needsConsent"]
    assert not check(tracker, account, "analytics")["allowed"]

    rejected = person.call("consent.denyAll", {"policyVersion": version, "context": CONTEXT})
    assert rejected["enabledCount"] == 0 and category(rejected, "essential")["allowed"]

    reset = person.call("consent.reset", {})
    assert reset["promptReason"] == "missing" and category(reset, "functional")["status"] == "notDetermined"
    again = person.call("consent.get")
    assert {**again, "entryId": reset["entryId"]} == reset

    history = person.call("consent.history", {"after": reset["entryId"], "limit": 200})["items"]
    kinds = [entry["kind"] for entry in history]
    assert kinds.count("consent.decided") == 4 + 1 + 4 and kinds.count("consent.withdrawn") == 1
    assert kinds.count("consent.reset") == 4
    stamps = [entry["timestamp"] for entry in history]
    assert stamps == sorted(stamps, reverse=True)
    oldest = history[-1]
    assert oldest["status"] == "granted" and oldest["appVersion"] == "2.1.0" and oldest["osVersion"] == "iOS 26"
    assert oldest["policyVersion"] == version and oldest["actor"] == "person" and oldest["accountId"] == account
    one = person.call("consent.history", {"category": "marketing", "limit": 1})
    assert [entry["category"] for entry in one["items"]] == ["marketing"] and one["nextCursor"]


def test_the_screen_speaks_the_persons_language(system):
    person, _ = system.person()
    german = person.call("consent.get", {"locale": "de-AT"})
    assert german["summary"] == "0 von 4 optionalen Kategorien aktiviert"
    assert category(german, "essential")["displayName"] == "Notwendig" and german["notice"]["locale"] == "de"
    catalog = system.client().call("consent.catalog", {"locale": "de"})
    shown = {
        "categories": [
            {key: one[key] for key in ("displayName", "explanation", "id")} for one in catalog["categories"]
        ],
        "locale": "de",
        "policyVersion": catalog["policyVersion"],
        "text": catalog["notice"]["text"],
        "title": catalog["notice"]["title"],
    }
    canonical = json.dumps(shown, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert hashlib.sha256(canonical).hexdigest() == catalog["notice"]["hash"] == german["notice"]["hash"]


def test_settings_show_the_same(system):
    person, _ = system.person()
    accept_all(person)
    section = person.call("settings.load", {"sections": ["consent"]})["consent"]
    assert section["ok"] and section["value"] == person.call("consent.get")


def test_a_device_decides_before_sign_in_and_brings_it_along(system, tracker):
    device, device_id = system.device()
    decide(device, 1, {"analytics": True, "marketing": False})
    assert tracker.call("consent.check", {"deviceId": device_id, "category": "analytics"})["allowed"]
    person, account = system.person()
    decide(person, 1, {"marketing": True}, occurredAt=ago(3600))
    linked = person.call("consent.link", {"deviceToken": device.token})
    assert category(linked, "analytics")["method"] == "link" and category(linked, "analytics")["allowed"]
    assert category(linked, "marketing")["status"] == "denied"
    assert check(tracker, account, "analytics")["allowed"]
    again = person.call("consent.link", {"deviceToken": device.token})
    assert again["revision"] == linked["revision"] and "entryId" not in again
    entries = person.call("consent.history", {"after": linked["entryId"], "category": "analytics"})["items"]
    assert entries[0]["kind"] == "consent.linked" and entries[0]["method"] == "link"
    for token in ["", "nonsense", person.token, device.token[:-4] + "AAAA"]:
        error = person.error("consent.link", {"deviceToken": token})
        assert error.code == INVALID and error.data["field"] == "deviceToken"
        assert not token or token not in error.message


# --- regulations ----------------------------------------------------------------------------------------------------


def test_california_allows_until_the_opt_out_and_asks_twice_after_it(system, tracker):
    person, account = system.person()
    moved = person.call("consent.setSubject", {"country": "US", "subdivision": "CA", "ageBand": "adult"})
    assert moved["regulation"] == "ccpa" and not moved["needsConsent"]
    assert category(moved, "marketing")["status"] == "notDetermined"
    assert check(tracker, account, "marketing") == {"allowed": True, "reason": "optOutDefault"}
    out = person.call("consent.optOut")
    assert category(out, "marketing")["reason"] == "optedOut" and category(out, "analytics")["allowed"]
    person.call("consent.reset")
    for country, subdivision in [("DE", None), ("IN", None), ("US", "CA")]:
        place = {"country": country, **({"subdivision": subdivision} if subdivision else {})}
        person.call("consent.setSubject", place)
        assert not check(tracker, account, "marketing")["allowed"]
    error = person.error("consent.grantAll", {"policyVersion": 1, "context": CONTEXT})
    assert (error.code, error.reason) == (FAILED, "confirmationRequired")
    assert error.data["confirm"] == ["optInAfterOptOut"]
    assert not check(tracker, account, "marketing")["allowed"]
    confirmed = accept_all(person, confirm=error.data["confirm"])
    assert category(confirmed, "marketing")["reason"] == "granted"


@pytest.mark.parametrize(
    "place, age, expected",
    [
        ({"country": "DE"}, "15", "minor"),
        ({"country": "DE"}, "16to17", "granted"),
        ({"country": "AT"}, "14", "granted"),
        ({"country": "GB"}, "under13", "minor"),
        ({"country": "IN"}, "16to17", "minor"),
        ({"country": "IN"}, "adult", "granted"),
        ({"country": "US", "subdivision": "CA"}, "under13", "minor"),
        ({"country": "US", "subdivision": "CA"}, "13", "granted"),
    ],
)
def test_age_decides_whose_yes_counts(system, tracker, place, age, expected):
    person, account = system.person()
    person.call("consent.setSubject", {**place, "ageBand": age})
    accept_all(person)
    answer = check(tracker, account, "analytics")
    assert answer["reason"] == expected and answer["allowed"] == (expected == "granted")


def test_a_known_minor_in_california_opts_in(system, tracker):
    person, account = system.person()
    person.call("consent.setSubject", {"country": "US", "subdivision": "CA", "ageBand": "14"})
    assert check(tracker, account, "marketing") == {"allowed": False, "reason": "undecided"}
    error = person.error("consent.setSubject", {"country": "US", "subdivision": "CA", "ageBand": "adult"})
    assert (error.code, error.reason) == (FAILED, "ageOnlyYounger")
    desk = system.key("consent")
    adult = {"country": "US", "subdivision": "CA", "ageBand": "adult"}
    grown = desk.call("consent.setSubject", {"accountId": account, **adult})
    assert grown["ageBand"] == "adult" and check(tracker, account, "marketing")["allowed"]


def test_an_apps_default_regulation_holds_where_no_region_is_known(system, own_app):
    _, publishable = own_app(defaultRegulation="ccpa")
    device = device_of(system, publishable)
    state = eventually(lambda: (state := device.call("consent.get"))["regulation"] == "ccpa" and state)
    assert category(state, "marketing")["reason"] == "optOutDefault"
    there = device.call("consent.setSubject", {"country": "FR"})
    assert there["regulation"] == "gdpr" and there["promptReason"] == "missing"


# --- signals --------------------------------------------------------------------------------------------------------


def test_global_privacy_control_by_header_masks_for_a_device_and_opts_a_person_out(system):
    gpc = {"Sec-GPC": "1"}
    device, _ = system.device()
    device.call("consent.setSubject", {"country": "US", "subdivision": "CA"})
    assert device.call("consent.check", {"category": "marketing"}, headers=gpc)["reason"] == "gpc"
    assert device.call("consent.check", {"category": "marketing"})["reason"] == "gpc", "what a call told is kept"
    state = device.call("consent.get", headers=gpc)
    assert state["signals"]["gpc"]["present"] and state["signals"]["gpc"]["honored"]
    assert category(state, "marketing")["status"] == "notDetermined"
    device.call("consent.signal", {"gpc": False})
    assert device.call("consent.check", {"category": "marketing"})["allowed"]

    person, _ = system.person()
    person.call("consent.setSubject", {"country": "US", "subdivision": "CA"})
    assert not person.call("consent.check", {"category": "marketing"}, headers=gpc)["allowed"]
    state = person.call("consent.get")
    assert category(state, "marketing")["method"] == "gpc" and category(state, "marketing")["status"] == "denied"
    person.call("consent.signal", {"gpc": False})
    assert person.call("consent.check", {"category": "marketing"})["reason"] == "optedOut"


def test_a_choice_against_the_signal_is_confirmed_and_then_stands(system):
    device, _ = system.device()
    device.call("consent.setSubject", {"country": "US", "subdivision": "CA"})
    device.call("consent.signal", {"gpc": True})
    error = device.error("consent.decide", decision(1, {"marketing": True}))
    assert error.data["confirm"] == ["gpcConflict"]
    state = decide(device, 1, {"marketing": True}, confirm=["gpcConflict"])
    assert category(state, "marketing")["allowed"] and state["signals"]["gpc"]["present"]
    assert device.call("consent.check", {"category": "marketing"}, headers={"Sec-GPC": "1"})["allowed"]


def test_att_masks_cross_app_tracking_and_nothing_else(system, tracker):
    person, account = system.person()
    accept_all(person)
    masked = person.call("consent.signal", {"att": "denied"})
    marketing = category(masked, "marketing")
    assert (marketing["status"], marketing["allowed"], marketing["reason"]) == ("granted", False, "att")
    assert category(masked, "analytics")["allowed"] and masked["signals"]["att"] == "denied"
    assert check(tracker, account, "marketing")["reason"] == "att"
    assert category(person.call("consent.signal", {"att": "authorized"}), "marketing")["allowed"]


# --- policies -------------------------------------------------------------------------------------------------------


def policy(version, material=True, more=()):
    def text(name):
        return [{"locale": "en", "displayName": name.title(), "explanation": f"What {name} is for."}]

    categories = [
        {"id": "essential", "required": True, "legalBasis": "contract", "uses": [], "texts": text("essential")},
        {"id": "analytics", "required": False, "legalBasis": "consent", "uses": [], "texts": text("analytics")},
    ]
    for name in more:
        categories.append(
            {"id": name, "required": False, "legalBasis": "consent", "uses": ["sale"], "texts": text(name)}
        )
    return {
        "version": version,
        "material": material,
        "categories": categories,
        "notices": [{"locale": "en", "title": "Your choice", "text": "Choose.\n\nYou can change it later."}],
    }


def test_a_new_version_prompts_until_it_is_answered(system, own_app):
    admin, publishable = own_app()
    device = device_of(system, publishable)
    first = admin.call("consent.publishPolicy", policy(2))
    assert first["policyVersion"] == 2 and first["entryId"] and first["publishedAt"]
    assert device.call("consent.get")["policyVersion"] == 2
    saved = decide(device, 2, {"analytics": True})
    assert (saved["promptReason"], saved["needsConsent"]) == ("none", False)
    assert saved["summary"] == "1 of 1 optional categories enabled"

    admin.call("consent.publishPolicy", policy(3, material=False, more=["resale"]))
    added = device.call("consent.get")
    assert added["promptReason"] == "policyChanged" and category(added, "analytics")["allowed"]
    assert category(added, "resale")["reason"] == "undecided"

    admin.call("consent.publishPolicy", policy(4, more=["resale"]))
    changed = device.call("consent.get")
    analytics = category(changed, "analytics")
    assert (analytics["status"], analytics["allowed"], analytics["reason"]) == ("granted", False, "policyChanged")
    assert analytics["policyVersion"] == 2

    late = decide(device, 3, {"analytics": True})
    assert late["needsConsent"] and not category(late, "analytics")["allowed"]
    final = decide(device, 4, {"analytics": True, "resale": False})
    assert final["promptReason"] == "none" and category(final, "analytics")["allowed"]

    admin.call("consent.publishPolicy", policy(5))
    assert device.call("consent.check", {"category": "resale"}) == {"allowed": False, "reason": "notApplicable"}
    # The other apps have none of it.
    assert system.client().call("consent.catalog")["policyVersion"] == 1


def test_a_version_never_changes(own_app):
    admin, _ = own_app()
    first = admin.call("consent.publishPolicy", policy(2))
    again = admin.call("consent.publishPolicy", policy(2))
    assert again["revision"] == first["revision"] and "entryId" not in again
    assert admin.error("consent.publishPolicy", policy(2, more=["resale"])).code == EXISTS
    assert admin.error("consent.publishPolicy", policy(1)).code == EXISTS
    admin.call("consent.publishPolicy", policy(7))
    assert admin.error("consent.publishPolicy", policy(3)).reason == "versionNotNewer"


@pytest.mark.parametrize(
    "field, change",
    [
        ("version", lambda it: it.update(version=0)),
        ("version", lambda it: it.update(version="two")),
        ("material", lambda it: it.pop("material")),
        ("categories", lambda it: it.update(categories=[])),
        ("categories[1].id", lambda it: it["categories"][1].update(id="essential")),
        ("categories[0].uses", lambda it: it["categories"][0].update(uses=["sale"])),
        ("categories[1].uses[0]", lambda it: it["categories"][1].update(uses=["spying"])),
        ("categories[1].texts", lambda it: it["categories"][1].update(texts=[])),
        ("categories[1].texts[0].locale", lambda it: it["categories"][1]["texts"][0].update(locale="e")),
        ("maxAgeDays", lambda it: it.update(maxAgeDays=-1)),
        ("notices[0].title", lambda it: it["notices"][0].update(title=" ")),
        ("surprise", lambda it: it.update(surprise=1)),
    ],
)
def test_a_faulty_version_is_refused_by_name(own_app, field, change):
    admin, _ = own_app()
    faulty = policy(2)
    change(faulty)
    error = admin.error("consent.publishPolicy", faulty)
    assert error.code == INVALID and error.data["field"] == field and error.message.startswith(field)
    assert admin.call("consent.catalog")["policyVersion"] == 1


# --- offline and repeated -------------------------------------------------------------------------------------------


def test_decisions_made_offline_arrive_in_any_order(system):
    person, _ = system.person()
    decide(person, 1, {"analytics": False}, occurredAt=ago(60))
    late = decide(person, 1, {"analytics": True, "functional": True}, occurredAt=ago(120))
    assert category(late, "analytics")["status"] == "denied" and category(late, "functional")["allowed"]
    assert [one["category"] for one in late["superseded"]] == ["analytics"]
    moment = ago(30)
    decide(person, 1, {"marketing": False}, occurredAt=moment)
    tie = decide(person, 1, {"marketing": True}, occurredAt=moment)
    assert category(tie, "marketing")["status"] == "denied"
    future = decide(person, 1, {"personalization": True}, occurredAt="2999-01-01T00:00:00.000Z")
    assert category(future, "personalization")["decidedAt"] <= ago(-5)


def test_a_decision_id_repeats_to_its_first_outcome(system):
    person, _ = system.person()
    name = str(uuid.uuid4())
    first = decide(person, 1, {"analytics": True}, decisionId=name)
    person.call("consent.denyAll")
    again = decide(person, 1, {"analytics": True}, decisionId=name.upper())
    assert again == first
    assert not category(person.call("consent.get"), "analytics")["allowed"]
    error = person.error("consent.decide", decision(1, {"analytics": False}, decisionId=name))
    assert (error.code, error.reason) == (FAILED, "decisionIdReused")


def test_an_idempotency_key_repeats_the_reply(system):
    person, _ = system.person()
    key = {"Idempotency-Key": str(uuid.uuid4())}
    first = person.call("consent.decide", decision(), headers=key)
    assert person.call("consent.decide", decision(), headers=key) == first
    error = person.error("consent.decide", decision(1, {"analytics": False}), headers=key)
    assert error.code == FAILED and person.call("consent.get")["revision"] == first["revision"]


# --- hostile --------------------------------------------------------------------------------------------------------

METHODS = [
    "setSubject",
    "get",
    "decide",
    "grantAll",
    "denyAll",
    "withdraw",
    "reset",
    "optOut",
    "signal",
    "check",
    "checkMany",
    "link",
    "history",
]
GOOD = {
    "setSubject": {"country": "DE"},
    "decide": decision(),
    "grantAll": {"policyVersion": 1, "context": CONTEXT},
    "signal": {"gpc": True},
    "check": {"category": "analytics"},
    "checkMany": {"checks": [{"category": "analytics"}]},
    "link": {"deviceToken": "x"},
}


@pytest.mark.parametrize("name", METHODS)
def test_every_method_knows_its_callers_and_its_params(system, name):
    method = f"consent.{name}"
    person, _ = system.person()
    good = GOOD.get(name, {})
    assert system.client().error(method, good).code == UNAUTHENTICATED
    assert system.client("nonsense").error(method, good).code == UNAUTHENTICATED
    stranger = system.key("session").error(method, good)
    assert stranger.code in (DENIED, INVALID)
    unknown = person.error(method, {**good, "surprise": 1})
    assert unknown.code == INVALID and unknown.data["field"] == "surprise"
    array = person.error(method, [good])
    assert array.code == INVALID
    if name not in ("link", "checkMany"):
        assert person.error(method, {**good, "accountId": "somebody-else"}).code == DENIED
        assert person.error(method, {**good, "deviceId": "somebody-elses"}).code == DENIED
        assert person.error(method, {**good, "accountId": 7}).data["field"] == "accountId"


@pytest.mark.parametrize(
    "field, code, change",
    [
        ("decisions.essential", FAILED, {"decisions": {"analytics": True, "essential": False}}),
        ("decisions.telemetry", INVALID, {"decisions": {"analytics": True, "telemetry": True}}),
        ("decisions.*", INVALID, {"decisions": {"maya@example.com": True}}),
        ("decisions.analytics", INVALID, {"decisions": {"analytics": 1}}),
        ("decisions", INVALID, {"decisions": {}}),
        ("decisions", INVALID, {"decisions": {f"c{n}": True for n in range(51)}}),
        ("policyVersion", INVALID, {"policyVersion": 2}),
        ("policyVersion", INVALID, {"policyVersion": 1e300}),
        ("method", INVALID, {"method": "guardian"}),
        ("context", INVALID, {"context": None}),
        ("context.appVersion", INVALID, {"context": {"appVersion": "x" * 129, "osVersion": "1"}}),
        ("context.osVersion", INVALID, {"context": {"appVersion": "1"}}),
        ("decisionId", INVALID, {"decisionId": "1"}),
        ("occurredAt", INVALID, {"occurredAt": "2026-02-30T00:00:00.000Z"}),
        ("confirm[0]", INVALID, {"confirm": ["everything"]}),
    ],
)
def test_a_bad_decision_is_refused_by_name_and_changes_nothing(system, field, code, change):
    person, _ = system.person()
    error = person.error("consent.decide", {**decision(), **change})
    assert error.code == code and error.data["field"] == field and error.data["processed"] is False
    assert "maya" not in error.message
    state = person.call("consent.get")
    assert state["revision"] == 0 and state["enabledCount"] == 0


def test_checks_answer_each_in_order(system, tracker):
    person, account = system.person()
    accept_all(person)
    checks = [{"accountId": account, "category": name} for name in ["analytics", "telemetry", "essential"]]
    checks += [{"category": "analytics"}, {"accountId": "nobody", "category": "analytics"}]
    results = tracker.call("consent.checkMany", {"checks": checks})["results"]
    assert [one.get("reason") for one in results] == ["granted", None, "required", None, "undecided"]
    assert [one.get("error", {}).get("data", {}).get("field") for one in results] == [
        None,
        "category",
        None,
        "accountId",
        None,
    ]
    many = [{"accountId": f"a{n % 300}", "category": "functional"} for n in range(1000)]
    assert len(tracker.call("consent.checkMany", {"checks": many})["results"]) == 1000
    assert tracker.error("consent.checkMany", {"checks": many + many[:1]}).data["field"] == "checks"


def test_apps_do_not_see_each_other(system, own_app):
    person, account = system.person()
    accept_all(person)
    admin, _ = own_app()
    assert not check(admin, account, "analytics")["allowed"]
    assert admin.call("consent.get", {"accountId": account})["revision"] == 0


def test_nothing_allowed_after_an_acknowledged_withdrawal(system, tracker):
    """Checks from many connections while one person changes their mind again and again."""
    person, account = system.person()
    state = {"phase": 0, "over": False}
    wrong = []

    def watch(client):
        while not state["over"]:
            began = state["phase"]
            answer = check(client, account, "analytics")
            if began % 2 == 1 and state["phase"] == began and answer["allowed"]:
                wrong.append(answer)

    watchers = [threading.Thread(target=watch, args=(system.client(tracker.token),)) for _ in range(4)]
    for one in watchers:
        one.start()
    try:
        for _ in range(40):
            accept_all(person)
            assert check(tracker, account, "analytics")["allowed"]
            person.call("consent.withdraw")
            state["phase"] += 1
            assert not check(tracker, account, "analytics")["allowed"]
            state["phase"] += 1
    finally:
        state["over"] = True
        for one in watchers:
            one.join()
    assert wrong == []


def test_writes_of_one_person_from_many_connections_are_all_recorded(system):
    person, _ = system.person()
    replies = []

    def toggle(client, value):
        for _ in range(10):
            replies.append(decide(client, 1, {"analytics": value}, method="toggle"))

    threads = [threading.Thread(target=toggle, args=(system.client(person.token), n % 2 == 0)) for n in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(one["revision"] for one in replies) == list(range(1, 41))
    last = max(replies, key=lambda one: one["revision"])
    assert {**person.call("consent.get"), "entryId": last["entryId"]} == last
    entries = person.call("consent.history", {"after": last["entryId"], "limit": 200})["items"]
    assert {entry["entryId"] for entry in entries} == {one["entryId"] for one in replies}


def test_logs_name_nobody(system):
    person, account = system.person()
    person.error("consent.decide", decision(1, {"maya@example.com": True}))
    accept_all(person)
    log = system.log("consent-service")
    assert account not in log and "maya" not in log


def test_state_survives_a_restart(own_system):
    one = own_system().start()
    person, account = one.person()
    before = decide(person, 1, {"analytics": True, "marketing": False})
    one.stop()
    one.start()
    person = one.sign_in(account)
    after = person.call("consent.get")
    assert {**after, "entryId": before["entryId"]} == before


def test_history_waits_for_an_entry_within_the_deadline_only(system):
    person, _ = system.person()
    error = person.error("consent.history", {"after": "0" * 26}, headers={"Assent-Timeout": "300ms"})
    assert error.status in ("UNAVAILABLE", "DEADLINE_EXCEEDED")
