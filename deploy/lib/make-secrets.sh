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
  if [ -e "/secrets/$1" ]; then
    # To its end all the same: whoever writes it would be ended by a pipe that nobody reads.
    cat >/dev/null
    return 0
  fi
  mkdir -p "/secrets/$(dirname "$1")"
  cat >"/secrets/$1.new"
  mv "/secrets/$1.new" "/secrets/$1"
}

# certificate SECTION FILE.KEY FILE.PEM [OPTION...]: a key and a certificate of ten years with the extensions of that section
# of $extensions; the certificate comes last, so that a pair is whole or made anew.
certificate() {
  local section=$1 key=$2 pem=$3
  shift 3
  [ ! -e "/secrets/$pem" ] || return 0
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -sha256 -days 3650 -config "$extensions" \
    -extensions "$section" "$@" -keyout /tmp/new.key -out /tmp/new.pem 2>/tmp/openssl.log || {
    cat /tmp/openssl.log >&2
    return 1
  }
  rm -f "/secrets/$key"
  put "$key" </tmp/new.key
  put "$pem" </tmp/new.pem
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

# PostgreSQL shows who it is by a certificate with the names that it is called by, in docker-compose.yml and in Kubernetes.
# The authority that signs it signs nothing else, and its key is mounted nowhere.
extensions=/tmp/extensions.cnf
cat >"$extensions" <<TEXT
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = DNS:postgres, DNS:postgres.assent, DNS:postgres.assent.svc, DNS:postgres.assent.svc.cluster.local
TEXT
certificate authority authority/ca.key authority/ca.pem -subj "/CN=Assent's PostgreSQL"
certificate server postgres/server.key postgres/server.crt -subj /CN=postgres \
  -CA /secrets/authority/ca.pem -CAkey /secrets/authority/ca.key
for service in "${services[@]}"; do put "$service/postgres-ca.pem" <"/secrets/authority/ca.pem"; done

chmod 711 /secrets
for folder in /secrets/*/; do
  case $folder in
    /secrets/authority/) owner=0 ;;
    /secrets/postgres/) owner=$database ;;
    *) owner=$programs ;;
  esac
  chown -R "$owner:$owner" "$folder"
  chmod -R u=rwX,go= "$folder"
done
