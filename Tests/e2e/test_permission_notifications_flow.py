# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Permissions and notifications as an app and its senders meet them: through the gateway, over HTTP."""

import json
import os
import pathlib
import signal
import threading

import pytest

from conftest import RPCError, eventually


def report(client, platform="ios", **statuses):
    return client.call(
        "permission.report",
        {"platform": platform, "permissions": [{"kind": kind, "status": word} for kind, word in statuses.items()]},
    )


def record(client, kind, event):
    return client.call("permission.record", {"kind": kind, "event": event})


def primer(client, kind="camera"):
    return client.call("permission.primer", {"kind": kind, "appName": "Tern"})


def item(listed, kind):
    return next(one for one in listed["items"] if one["kind"] == kind)


def category(preferences, name):
    return next(one for one in preferences["categories"] if one["id"] == name)


def decide(sender, account, name, channel, **more):
    return sender.call("notifications.decide", {"accountId": account, "category": name, "channel": channel, **more})


def pause(pid):
    """Stops a program, and returns when every thread of it has stopped."""
    os.kill(pid, signal.SIGSTOP)
    threads = f"/proc/{pid}/task"
    eventually(
        lambda: all(
            pathlib.Path(threads, thread, "stat").read_text().rpartition(")")[2].split()[0] == "T"
            for thread in os.listdir(threads)
        )
    )


def all_entries(client, kind):
    """The caller's audit entries of a kind, page by page."""
    entries, cursor = [], None
    while True:
        page = client.call("audit.entries", {"kind": kind, "limit": 100, **({"cursor": cursor} if cursor else {})})
        entries += page["items"]
        cursor = page.get("nextCursor")
        if not cursor:
            return entries


@pytest.fixture
def sender(system):
    return system.key("decide")


def test_a_device_reports_what_its_system_allows(system):
    device, device_id = system.device()
    before = device.call("permission.list")
    assert [one["chip"] for one in before["items"]] == ["Not asked"] * 7
    assert before["revision"] == 0
    written = report(device, camera="authorized", photos="limited", location="restricted", contacts="notDetermined")
    assert written["revision"] == 1 and written["entryId"]
    listed = device.call("permission.list")
    assert listed["deviceId"] == device_id
    assert [one["kind"] for one in listed["items"]] == [
        "camera", "photos", "location", "contacts", "microphone", "notifications", "tracking",
    ]
    assert [(one["chip"], one["next"]) for one in listed["items"][:4]] == [
        ("Allowed", "openSettings"),
        ("Limited", "openSettings"),
        ("Not allowed", "openSettings"),
        ("Not asked", "ask"),
    ]
    assert item(listed, "photos")["limited"] == "Selected photos"
    again = report(device, camera="granted")
    assert again["revision"] == 1 and "entryId" not in again


def test_an_older_report_does_not_overwrite_a_newer_one(system):
    device, _ = system.device()

    def at(time, word):
        permissions = [{"kind": "camera", "status": word, "at": time}]
        return device.call("permission.report", {"platform": "ios", "permissions": permissions})

    at("2026-01-02T12:00:00.000Z", "authorized")
    late = at("2026-01-02T11:00:00.000Z", "denied")
    assert late["outdated"] == ["camera"]
    assert item(device.call("permission.list"), "camera")["status"] == "allowed"


def test_every_change_has_its_audit_record(system):
    person, account = system.person()
    reported = report(person, camera="authorized")
    recorded = record(person, "photos", "granted")
    saved = person.call("notifications.update", {"toggle": {"messages": False}})
    by_id = {}
    for written in (reported, recorded, saved):
        entries = person.call("audit.entries", {"after": written["entryId"]})["items"]
        by_id.update({entry["entryId"]: entry for entry in entries})
    assert by_id[reported["entryId"]]["kind"] == "permission.changed"
    assert by_id[recorded["entryId"]]["kind"] == "permission.primer"
    assert by_id[saved["entryId"]]["kind"] == "notifications.changed"
    for written in (reported, recorded, saved):
        assert by_id[written["entryId"]]["accountId"] == account
    assert sum(entry["kind"] == "permission.primer" for entry in by_id.values()) == 1


def test_a_primer_from_first_look_to_granted(system):
    person, _ = system.person()
    first = primer(person)
    assert (first["show"], first["why"], first["state"]) == (True, "notAsked", "notAsked")
    assert 2 <= len(first["content"]["benefits"]) <= 3
    assert "Tern" in first["content"]["alert"]["title"]
    assert record(person, "camera", "shown")["state"] == "shown"
    assert record(person, "camera", "asked")["state"] == "asked"
    granted = record(person, "camera", "granted")
    assert (granted["state"], granted["status"], granted["flagged"]) == ("granted", "allowed", False)
    assert primer(person)["show"] is False
    assert item(person.call("permission.list"), "camera")["chip"] == "Allowed"


def test_not_now_keeps_the_prompt_and_waits(system):
    person, account = system.person()
    record(person, "camera", "shown")
    put = record(person, "camera", "notNow")
    assert put["askAgainAt"]
    offer = primer(person)
    assert (offer["show"], offer["why"], offer["askAgainAt"]) == (False, "coolingDown", put["askAgainAt"])
    assert primer(system.sign_in(account))["why"] == "coolingDown", "on another device of hers"
    assert item(person.call("permission.list"), "camera")["next"] == "ask"


def test_a_spent_prompt_is_not_offered_again_whichever_account(system):
    device, device_id = system.device()
    record(device, "camera", "asked")
    _, account = system.person()
    other = system.sign_in(account, deviceId=device_id)
    assert (primer(other)["show"], primer(other)["why"]) == (False, "promptSpent")


def test_an_impossible_step_is_kept_and_flagged(system):
    device, _ = system.device()
    assert record(device, "camera", "granted")["flagged"] is True
    assert item(device.call("permission.list"), "camera")["status"] == "allowed"


@pytest.mark.parametrize(
    "params, message",
    [
        ({"kind": "camera", "status": "maybe"}, "permissions[0].status: must be one of"),
        ({"kind": "camera", "status": "limited"}, "permissions[0].status: must be one of"),
        ({"kind": "telepathy", "status": "denied"}, "permissions[0].kind: must be one of camera, photos"),
        ({"kind": "camera", "status": 7}, "permissions[0].status: must be text"),
        ({"kind": "camera", "status": "denied", "at": "yesterday"}, "permissions[0].at: must be a time"),
        ({"kind": "camera", "status": "denied", "why": "x"}, "permissions[0].why: is not a known member"),
        ({"kind": "camera"}, "permissions[0].status: is missing"),
    ],
)
def test_a_bad_report_names_the_param_and_what_is_allowed(system, params, message):
    device, _ = system.device()
    error = device.error("permission.report", {"platform": "ios", "permissions": [params]})
    assert error.code == -32602 and error.message.startswith(message)
    assert error.data["processed"] is False


def test_others_devices_and_accounts_are_denied(system):
    person, account = system.person()
    device, device_id = system.device()
    assert person.error("permission.list", {"deviceId": device_id}).status == "PERMISSION_DENIED"
    assert person.error("notifications.get", {"accountId": "somebody"}).status == "PERMISSION_DENIED"
    assert device.error("notifications.get").status == "PERMISSION_DENIED"
    assert person.error("permission.publishCatalog", {"kinds": []}).status == "PERMISSION_DENIED"
    assert person.error("notifications.decide", {}).status == "PERMISSION_DENIED"
    assert system.client().error("permission.list").status == "UNAUTHENTICATED"
    assert person.error("events.deliver", {"events": []}).code == -32601


def test_preferences_begin_with_the_defaults(system):
    person, _ = system.person(timeZone="Europe/Berlin")
    preferences = eventually(
        lambda: (got := person.call("notifications.get"))["quietHours"]["timeZone"] == "Europe/Berlin" and got
    )
    assert [(one["id"], one["on"]) for one in preferences["categories"]] == [
        ("messages", ["push", "email"]),
        ("reminders", ["push"]),
        ("productNews", []),
    ]
    assert preferences["quietHours"] == {
        "isOn": False, "from": {"hour": 22, "minute": 0}, "to": {"hour": 7, "minute": 0}, "timeZone": "Europe/Berlin",
    }
    assert preferences["digest"] == "weekly"
    assert preferences["status"] == {"title": "Notifications are off", "action": "turnOn"}


@pytest.mark.parametrize(
    "word, authorization, status",
    [
        ("authorized", "allowed", {"title": "Allowed"}),
        ("provisional", "quiet", {"title": "Delivered quietly", "action": "turnOn"}),
        ("denied", "denied", {"title": "Turned off in Settings", "action": "openSettings"}),
    ],
)
def test_the_status_card_follows_the_permission_of_this_device(system, word, authorization, status):
    person, _ = system.person()
    report(person, notifications=word)
    got = eventually(lambda: (now := person.call("notifications.get"))["authorization"] == authorization and now)
    assert got["status"] == status


def test_a_screen_saves_what_it_got_with_a_change(system):
    person, _ = system.person()
    preferences = person.call("notifications.get")
    category(preferences, "productNews")["on"] = ["email"]
    category(preferences, "productNews")["title"] = "a title that is only shown"
    saved = person.call("notifications.save", {"preferences": preferences, "revision": preferences["revision"]})
    assert category(saved, "productNews")["on"] == ["email"]
    assert category(saved, "productNews")["isOn"] is True
    assert category(saved, "productNews")["title"] == "Product news"
    stale = person.error("notifications.save", {"preferences": preferences, "revision": preferences["revision"]})
    assert stale.status == "ABORTED" and stale.reason == "staleRevision"
    assert stale.data["current"]["revision"] == saved["revision"]
    assert category(stale.data["current"], "productNews")["on"] == ["email"]


def test_toggling_brings_the_channels_back(system):
    person, _ = system.person()
    person.call("notifications.update", {"set": {"messages": {"push": False, "sms": True}}})
    off = person.call("notifications.update", {"toggle": {"messages": False}})
    assert category(off, "messages")["on"] == []
    on = person.call("notifications.update", {"toggle": {"messages": True, "productNews": True}})
    assert category(on, "messages")["on"] == ["email", "sms"]
    assert category(on, "productNews")["on"] == ["push"], "the first one offered"


@pytest.mark.parametrize(
    "params, message",
    [
        ({"set": {"productNews": {"sms": True}}}, "set.productNews.sms: sms is not offered by productNews"),
        ({"set": {"nothing": {"sms": True}}}, "set: nothing is not in the catalog"),
        ({"set": {"messages": {"fax": True}}}, "set.messages.fax: fax is not offered by messages"),
        ({"toggle": {"messages": "no"}}, "toggle.messages: must be true or false"),
        ({"quietHours": {"from": {"hour": 27, "minute": 0}}}, "quietHours.from.hour: 27 is not in 0...23"),
        ({"quietHours": {"to": {"hour": 7, "minute": 60}}}, "quietHours.to.minute: 60 is not in 0...59"),
        ({"quietHours": {"to": {"hour": 7}}}, "quietHours.to.minute: is missing"),
        ({"quietHours": {"timeZone": "../../etc/passwd"}}, "quietHours.timeZone: must be an IANA time zone name"),
        ({"digest": "hourly"}, "digest: must be one of off, daily, weekly"),
        ({"colour": "red"}, "colour: is not a known member"),
    ],
)
def test_a_bad_change_names_the_param_and_changes_nothing(system, params, message):
    person, _ = system.person()
    error = person.error("notifications.update", params)
    assert error.code == -32602 and error.message.startswith(message)
    assert error.data["field"] == message.split(":")[0]
    assert person.call("notifications.get")["revision"] == 0


def test_push_goes_where_the_person_is_signed_in_and_the_system_shows_it(system, sender):
    phone, account = system.person()
    tablet = system.sign_in(account)
    report(phone, notifications="authorized")
    report(tablet, notifications="provisional")
    decision = eventually(
        lambda: len((now := decide(sender, account, "messages", "push")).get("devices", [])) == 2 and now
    )
    assert (decision["action"], decision["reason"], decision["level"]) == ("deliver", "channelOn", "catalog")
    assert sorted(one["authorization"] for one in decision["devices"]) == ["allowed", "quiet"]
    tablet.call("session.signOut")
    eventually(lambda: len(decide(sender, account, "messages", "push")["devices"]) == 1)
    report(phone, notifications="denied")
    refused = eventually(lambda: (now := decide(sender, account, "messages", "push"))["action"] == "suppress" and now)
    assert (refused["reason"], refused["level"]) == ("notificationsDenied", "device")


def test_quiet_hours_hold_and_then_deliver(system, sender):
    person, account = system.person(timeZone="Asia/Tokyo")
    report(person, notifications="authorized")
    eventually(lambda: decide(sender, account, "messages", "push")["action"] == "deliver")
    person.call(
        "notifications.update",
        {"quietHours": {"isOn": True, "from": {"hour": 21, "minute": 0}, "to": {"hour": 23, "minute": 0}}},
    )
    at = "2024-01-03T13:00:00.000Z"
    held = eventually(lambda: (now := decide(sender, account, "messages", "push", at=at))["action"] == "hold" and now)
    assert (held["until"], held["reason"], held["level"]) == ("2024-01-03T14:00:00.000Z", "quietHours", "quietHours")
    assert decide(sender, account, "messages", "push", at=held["until"])["action"] == "deliver"


@pytest.mark.parametrize(
    "quiet, after",
    [
        (["2026-03-08T03:00:00.000Z", "2026-03-08T10:59:59.999Z"], "2026-03-08T11:00:00.000Z"),
        (["2026-11-01T02:00:00.000Z", "2026-11-01T11:59:59.999Z"], "2026-11-01T12:00:00.000Z"),
    ],
)
def test_quiet_hours_are_exact_over_changes_of_the_clocks(system, sender, quiet, after):
    person, account = system.person()
    person.call(
        "notifications.update", {"digest": "off", "quietHours": {"isOn": True, "timeZone": "America/New_York"}}
    )
    for moment in quiet:
        assert decide(sender, account, "messages", "email", at=moment)["until"] == after
    assert decide(sender, account, "messages", "email", at=after)["action"] == "deliver"


def test_email_waits_for_the_digest(system, sender):
    person, account = system.person(timeZone="Europe/Berlin")
    eventually(lambda: person.call("notifications.get")["quietHours"]["timeZone"] == "Europe/Berlin")
    weekly = decide(sender, account, "messages", "email", at="2026-01-15T12:00:00.000Z")
    assert (weekly["action"], weekly["until"]) == ("digest", "2026-01-19T08:00:00.000Z")
    person.call(
        "notifications.update", {"digest": "daily", "quietHours": {"isOn": True, "to": {"hour": 10, "minute": 30}}}
    )
    daily = decide(sender, account, "messages", "email", at="2026-01-15T12:00:00.000Z")
    assert (daily["action"], daily["until"]) == ("digest", "2026-01-16T09:30:00.000Z"), "when quiet hours end"


def test_many_decisions_have_an_answer_each(system, sender):
    _, account = system.person()
    questions = [
        {"accountId": account, "category": "messages", "channel": "email"},
        {"accountId": account, "category": "productNews", "channel": "sms"},
        {"accountId": "not an id", "category": "messages", "channel": "email"},
        {"accountId": account, "category": "productNews", "channel": "email"},
    ]
    results = sender.call("notifications.decideMany", {"decisions": questions})["results"]
    assert [one.get("action") for one in results] == ["digest", None, None, "suppress"]
    assert [one["error"]["code"] for one in results[1:3]] == [-32602, -32602]
    assert results[1]["error"]["message"].startswith("channel: sms is not offered by productNews")
    assert sender.error("notifications.decideMany", {"decisions": questions[:1] * 1001}).code == -32602


def test_the_settings_screen_shows_both(system):
    person, _ = system.person()
    report(person, camera="authorized")
    person.call("notifications.update", {"digest": "daily"})
    screen = person.call("settings.load", {"sections": ["permissions", "notifications"]})
    assert screen["permissions"]["value"] == person.call("permission.list")
    assert screen["notifications"]["value"] == person.call("notifications.get")


def test_the_same_key_happens_once(system):
    person, _ = system.person()
    change = {"toggle": {"messages": False}}
    first = person.call("notifications.update", change, {"Idempotency-Key": "k"})
    second = person.call("notifications.update", change, {"Idempotency-Key": "k"})
    assert (second["revision"], second["entryId"]) == (first["revision"], first["entryId"])
    other = person.error("notifications.update", {"digest": "off"}, {"Idempotency-Key": "k"})
    assert other.status == "FAILED_PRECONDITION" and other.reason == "idempotencyKeyReused"


def test_concurrent_changes_all_count(system):
    _, account = system.person()
    clients = [system.sign_in(account) for _ in range(4)]

    def change(client, number):
        for hour in range(10):
            client.call("notifications.update", {"quietHours": {"from": {"hour": hour, "minute": number}}})

    threads = [threading.Thread(target=change, args=pair) for pair in zip(clients, range(4))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert clients[0].call("notifications.get")["revision"] == 40


def test_a_notification_is_carried_out_in_its_place(system):
    person, _ = system.person()
    status, _, body = person.post(
        [
            {"jsonrpc": "2.0", "method": "notifications.update", "params": {"digest": "daily"}},
            {"jsonrpc": "2.0", "id": "after", "method": "notifications.get"},
        ],
        timeout=4,
    )
    replies = json.loads(body)
    assert status == 200 and [one["id"] for one in replies] == ["after"]
    assert replies[0]["result"]["digest"] == "daily"
    status, _, body = person.post(
        {"jsonrpc": "2.0", "method": "notifications.update", "params": {"digest": "off"}}, timeout=4
    )
    assert status == 204 and body == b""
    assert person.call("notifications.get")["digest"] == "off"


def test_an_app_publishes_its_catalogs(own_system):
    system = own_system()
    system.start()
    admin, sender = system.admin, system.key("decide")
    published = admin.call(
        "notifications.publishCatalog",
        {
            "categories": [
                {
                    "id": "security",
                    "texts": [{"locale": "en", "title": "Security"}, {"locale": "de", "title": "Sicherheit"}],
                    "channels": ["push", "email"],
                    "critical": True,
                },
                {
                    "id": "offers",
                    "texts": [{"locale": "en", "title": "Offers"}],
                    "channels": ["email"],
                    "defaultOn": ["email"],
                    "consentCategory": "marketing",
                },
            ]
        },
    )
    assert published["revision"] == 1 and published["entryId"]
    refused = admin.error(
        "notifications.publishCatalog",
        {"categories": [{"id": "a", "texts": [{"locale": "en", "title": "A"}], "channels": ["push"], "defaultOn": ["sms"]}]},
    )
    assert refused.message == "categories[0].defaultOn: sms is not among the channels that a offers"

    person, account = system.person(locale="de-AT")
    german = eventually(lambda: (now := person.call("notifications.get"))["categories"][0]["title"] == "Sicherheit" and now)
    assert german["categories"][0]["locked"] is True
    locked = person.error("notifications.update", {"toggle": {"security": False}})
    assert locked.status == "FAILED_PRECONDITION" and locked.reason == "criticalCategory"

    at = "2026-01-15T23:00:00.000Z"
    person.call("notifications.update", {"quietHours": {"isOn": True}, "digest": "off"})
    critical = decide(sender, account, "security", "email", at=at)
    assert (critical["action"], critical["reason"]) == ("deliver", "critical")

    missing = decide(sender, account, "offers", "email", at=at)
    assert (missing["action"], missing["reason"], missing["level"]) == ("suppress", "consent", "consent")
    state = person.call("consent.get")
    person.call(
        "consent.decide",
        {
            "policyVersion": state["policyVersion"],
            "decisions": {"marketing": True},
            "method": "toggle",
            "context": {"appVersion": "2.4", "osVersion": "17.4"},
        },
    )
    assert decide(sender, account, "offers", "email", at=at)["action"] == "hold"

    # While consent-service is away nothing that needs consent goes out, and nothing else waits for it.
    pause(system.pid("consent-service"))
    try:
        unknown = sender.error(
            "notifications.decide",
            {"accountId": account, "category": "offers", "channel": "email"},
            {"Assent-Timeout": "1000ms"},
        )
        assert unknown.status == "UNAVAILABLE" and unknown.reason == "consentUnavailable"
        assert decide(sender, account, "security", "email")["action"] == "deliver"
    finally:
        os.kill(system.pid("consent-service"), signal.SIGCONT)
    eventually(lambda: decide(sender, account, "offers", "email", at=at)["action"] == "hold")

    admin.call(
        "permission.publishCatalog",
        {
            "kinds": [
                {"kind": "notifications", "texts": [{"locale": "de", "name": "Mitteilungen"}]},
                {"kind": "camera"},
            ]
        },
    )
    assert [one["name"] for one in person.call("permission.list", {"locale": "de"})["items"]] == ["Mitteilungen", "Camera"]


@pytest.mark.parametrize("name", ["permission-service", "notification-prefs-service"])
def test_an_acknowledged_change_survives_a_kill(own_system, name):
    system = own_system()
    system.start()
    person, account = system.person()
    done = []

    def write():
        number = 0
        while not stop.is_set():
            number += 1
            try:
                if name == "permission-service":
                    done.append(record(person, "camera", "openedSettings")["revision"])
                else:
                    hours = {"quietHours": {"from": {"hour": number % 24, "minute": number // 24 % 60}}}
                    done.append(person.call("notifications.update", hours)["revision"])
            except RPCError as error:
                assert error.status in ("UNAVAILABLE", "DEADLINE_EXCEEDED"), error

    stop = threading.Event()
    writer = threading.Thread(target=write)
    writer.start()
    eventually(lambda: len(done) > 20)
    before = system.pid(name)
    os.kill(before, signal.SIGKILL)
    eventually(lambda: system.pid(name) != before)
    count = len(done)
    eventually(lambda: len(done) > count + 5, timeout=20)
    stop.set()
    writer.join()
    read = person.call("permission.list" if name == "permission-service" else "notifications.get")
    assert read["revision"] >= max(done)
    assert len(set(done)) == len(done)
    # And each has its audit record, once: also those whose acknowledgement was lost.
    kind = "permission.primer" if name == "permission-service" else "notifications.quietHours"
    eventually(lambda: len(all_entries(person, kind)) == read["revision"])
    entries = all_entries(person, kind)
    assert len({entry["entryId"] for entry in entries}) == len(entries)
