#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
# demo.sh ASSENTCTL: the seeds' sample settings for the account maya, through the gateway. Can be run again.
set -eu
ctl=$1
as_maya() { "$ctl" call "$1" "$2" --as demo --json >/dev/null; }

as_maya permission.report '{"platform":"ios","permissions":[
  {"kind":"camera","status":"authorized"},{"kind":"photos","status":"limited"},
  {"kind":"location","status":"denied"},{"kind":"notifications","status":"authorized"}]}'
as_maya notifications.update '{"set":{"messages":{"push":true,"email":true},"reminders":{"push":true},
  "productNews":{"push":false,"email":false}},
  "quietHours":{"isOn":false,"from":{"hour":22,"minute":0},"to":{"hour":7,"minute":0}},"digest":"weekly"}'
for blocked in spam-1 spam-2 spam-3; do as_maya account.block "{\"blockedId\":\"$blocked\"}"; done
