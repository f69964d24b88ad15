# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""deploy/up as an operator meets it: starts, stops, restarts, and says clearly what is wrong."""

import json
import os
import signal
import socket
import stat
import subprocess
import time

from conftest import ROOT, SERVICES, System, eventually, free_port, pause


def run_up(**environment):
    return subprocess.run(
        [str(ROOT / "deploy" / "up")], env={**os.environ, **environment}, capture_output=True, text=True, timeout=60
    )


def test_credentials_and_data_are_for_the_owner_only(system):
    assert stat.S_IMODE(os.stat(system.data).st_mode) == 0o700
    credentials = system.data / "credentials.json"
    assert stat.S_IMODE(os.stat(credentials).st_mode) == 0o600
    assert set(json.loads(credentials.read_text())) >= {"adminKey", "publishableKey"}


def test_state_survives_a_restart_that_is_ready_within_three_seconds(own_system):
    system = own_system()
    system.start()
    person, account = system.person()
    person.call("account.rename", {"name": "Grace Hopper"})
    assert system.stop() == 0
    begun = time.monotonic()
    system.start()
    took = time.monotonic() - begun
    assert system.sign_in(account).call("account.get")["name"] == "Grace Hopper"
    assert took < 3, f"{took:.2f} s"


def test_a_second_start_on_the_same_folder_is_refused(system):
    second = run_up(
        ASSENT_DATA_DIR=str(system.data), ASSENT_HTTP_PORT=str(free_port()), ASSENT_ZMQ_PORT=str(free_port())
    )
    assert second.returncode == 1
    assert "already running" in second.stderr


def test_a_used_port_is_named(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = run_up(ASSENT_DATA_DIR=str(tmp_path / "data"), ASSENT_HTTP_PORT=str(port))
    assert ended.returncode == 1
    assert f"port {port} is in use" in ended.stderr and "ASSENT_HTTP_PORT" in ended.stderr


def test_one_port_for_both_faces_is_refused(tmp_path):
    port = str(free_port())
    ended = run_up(ASSENT_DATA_DIR=str(tmp_path / "data"), ASSENT_HTTP_PORT=port, ASSENT_ZMQ_PORT=port)
    assert ended.returncode == 1
    assert ended.stderr == "assent: ASSENT_HTTP_PORT and ASSENT_ZMQ_PORT must differ\n"


def test_the_commands_to_try_work_as_they_are_printed(own_system, tmp_path):
    (tmp_path / "my data").mkdir()
    system = own_system(data=tmp_path / "my data").start()
    lines = (system.data / "up.log").read_text().split("assent: try\n")[1].splitlines()
    assert len(lines) == 3
    for line in lines:
        ran = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True, timeout=30)
        assert ran.returncode == 0, ran.stderr


def test_a_data_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "data").write_text("")
    ended = run_up(ASSENT_DATA_DIR=str(tmp_path / "data"))
    assert ended.returncode == 1 and "is not a folder" in ended.stderr


def test_a_damaged_data_file_is_said(own_system, tmp_path):
    system = own_system()
    system.start()
    system.stop()
    database = system.data / "consent-service.db"
    database.write_bytes(b"this is no database" * 1000)
    for leftover in system.data.glob("consent-service.db-*"):
        leftover.unlink()
    ended = run_up(
        ASSENT_DATA_DIR=str(system.data), ASSENT_HTTP_PORT=str(free_port()), ASSENT_ZMQ_PORT=str(free_port())
    )
    assert ended.returncode == 1
    assert "consent-service could not start" in ended.stderr


def test_a_killed_program_is_restarted_and_said(own_system):
    system = own_system()
    system.start()
    person, account = system.person()
    for name in SERVICES:
        before = system.pid(name)
        os.kill(before, signal.SIGKILL)
        eventually(lambda: system.pid(name) != before)
        eventually(lambda: person.call("account.get")["accountId"] == account)
    said = (system.data / "up.log").read_text()
    for name in SERVICES:
        assert f"{name} ended (signal 9), restarting" in said


def test_no_program_outlives_deploy_up(own_system):
    system = own_system()
    system.start()
    pids = [system.pid(name) for name in SERVICES]
    system.process.kill()
    system.process.wait()
    for pid in pids:
        eventually(lambda: not os.path.exists(f"/proc/{pid}"))
    system.process = None


def test_programs_that_end_at_the_same_moment_all_come_back(own_system):
    system = own_system()
    system.start()
    person, _ = system.person()
    for _ in range(6):
        before = {name: system.pid(name) for name in SERVICES}
        for pid in before.values():
            os.kill(pid, signal.SIGKILL)
        eventually(lambda: all(system.pid(name) != before[name] for name in SERVICES))
        eventually(lambda: person.call("account.get"))
    # Nothing but what was meant for people: no line of a script.
    said = (system.data / "up.log").read_text().split("assentctl methods\n")[1].splitlines()
    assert len(said) >= 6 * len(SERVICES)
    assert [line for line in said if not line.startswith("assent: ")] == []


def test_a_service_that_hangs_does_not_keep_the_others_from_stopping(own_system):
    system = own_system()
    system.start()
    hung, audit = system.pid("consent-service"), system.pid("audit-service")
    others = {name: system.pid(name) for name in SERVICES if name not in ("consent-service", "audit-service")}
    pause(hung)
    system.process.send_signal(signal.SIGINT)
    try:
        for name in others:
            eventually(lambda: '"message":"stopped"' in system.log(name))
        assert runs(hung) and runs(audit), "audit-service hears of the others' changes to the end"
    finally:
        os.kill(hung, signal.SIGCONT)
    assert system.process.wait(30) == 0
    assert "killing" not in (system.data / "up.log").read_text()


def runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
