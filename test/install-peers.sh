#!/bin/sh
# Installs from Debian what Node needs (libatomic1), and what some tests talk to or run: a C compiler (power cuts), curl and
# Python (function modules), faketime (a time of day that is set), LibreOffice (tables), nginx (in front of the service), OpenLDAP (users), Chromium (passkeys),
# PostgreSQL, Patroni, etcd and NATS (test/engines), and independent devices, brokers and clients of the
# protocols. None is started: the tests start their own, on loopback. Where one is missing, its tests are skipped.
set -eu
[ "$(id -u)" = 0 ] || exec sudo "$0" "$@"
exec "$(dirname "$0")/../scripts/install-without-starting.sh" \
  libatomic1 'gcc libc6-dev' 'curl python3' openssl mbpoll libmodbus5 'python3-pymodbus python3-serial-asyncio' \
  'snmpd snmp snmptrapd' 'mosquitto mosquitto-clients' 'slapd ldap-utils' faketime nginx-light libreoffice-calc-nogui chromium \
  postgresql patroni etcd-server nats-server
