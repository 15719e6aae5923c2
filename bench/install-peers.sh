#!/bin/sh
# Installs the peers of the archive's benchmark from Debian: PostgreSQL, VictoriaMetrics, InfluxDB. None is started: the
# benchmark starts its own, on loopback, in a folder that is gone afterwards.
set -eu
[ "$(id -u)" = 0 ] || exec sudo "$0" "$@"
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
apt-get update -q
for package in postgresql victoria-metrics influxdb; do
  apt-get install -q -y --no-install-recommends "$package" || echo "$package could not be installed" >&2
done
