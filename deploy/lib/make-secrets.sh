#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
# Makes the files under /secrets, a folder for each program; runs in a container as root. What is there already stays.
set -euo pipefail
umask 077
programs=10001
database=999
services=(account-service audit-service consent-service permission-service notification-prefs-service)

hexadecimal() { head -c "$1" /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }
base64url() { head -c "$1" /dev/urandom | base64 -w 0 | tr '+/' '-_' | tr -d '='; }

# put FILE: its contents from standard input, whole or not at all, unless it is there.
put() {
  [ ! -e "/secrets/$1" ] || return 0
  mkdir -p "/secrets/$(dirname "$1")"
  cat >"/secrets/$1.new"
  mv "/secrets/$1.new" "/secrets/$1"
}

put account-service/signing-keys.json <<<"{\"keys\":[{\"seed\":\"$(base64url 32)\"}]}"
put account-service/credentials.json <<TEXT
{"adminKey":"assent_sk.default.$(base64url 32)","publishableKey":"assent_pk.default.$(base64url 16)"}
TEXT
put operator/credentials.json <"/secrets/account-service/credentials.json"
put audit-service/audit.key <<<"$(hexadecimal 32)"
# Names persons in logs without saying who they are; the same in all programs.
put operator/log.key <<<"$(hexadecimal 32)"
for program in "${services[@]}" gateway; do put "$program/log.key" <"/secrets/operator/log.key"; done

# A CURVE key pair for each program, and the list of those it lets in; then those of a client of the ZeroMQ face.
assentctl keygen --deployment /secrets --client developer >/dev/null

# Every service is a user of the database that owns a schema of its own, and can do nothing in another's.
put postgres/admin-password <<<"$(hexadecimal 24)"
for service in "${services[@]}"; do put "$service/database-password" <<<"$(hexadecimal 24)"; done
{
  echo 'REVOKE ALL ON DATABASE assent FROM PUBLIC; REVOKE ALL ON SCHEMA public FROM PUBLIC;'
  for service in "${services[@]}"; do
    role=${service//-/_}
    cat <<SQL
CREATE ROLE $role LOGIN PASSWORD '$(<"/secrets/$service/database-password")';
CREATE SCHEMA $role AUTHORIZATION $role;
GRANT CONNECT ON DATABASE assent TO $role;
SQL
  done
} | put postgres/roles.sql

chmod 711 /secrets
for folder in /secrets/*/; do
  owner=$programs
  [ "$folder" != /secrets/postgres/ ] || owner=$database
  chown -R "$owner:$owner" "$folder"
  chmod -R u=rwX,go= "$folder"
done
