#!/bin/sh
# Installs the peers of the archive's benchmark from Debian: PostgreSQL, VictoriaMetrics, InfluxDB. None is started: the
# benchmark starts its own, on loopback, in a folder that is gone afterwards.
set -eu
[ "$(id -u)" = 0 ] || exec sudo "$0" "$@"
exec "$(dirname "$0")/../scripts/install-without-starting.sh" postgresql victoria-metrics influxdb
