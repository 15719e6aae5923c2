#!/bin/sh
# Installs Debian packages, a group an argument, as root. Nothing that they bring is started, now or at the next boot, and PostgreSQL gets no
# cluster of its own. A group that cannot be installed is named and left out.
set -eu
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
policy=/usr/sbin/policy-rc.d
clusters=/etc/postgresql-common/createcluster.d
enabled=/etc/systemd/system/multi-user.target.wants
ours=
trap 'rm -f $ours' EXIT
trap 'exit 1' HUP INT TERM
if [ ! -e "$policy" ]; then
  ours="$policy"
  printf '#!/bin/sh\nexit 101\n' > "$policy"
  chmod 755 "$policy"
fi
mkdir -p "$clusters"
ours="$ours $clusters/no-main-cluster.conf"
echo 'create_main_cluster = false' > "$clusters/no-main-cluster.conf"
before=" $(ls "$enabled" 2> /dev/null | tr '\n' ' ') "

apt-get update -qq
for packages in "$@"; do
  # shellcheck disable=SC2086
  apt-get install -qq -y --no-install-recommends $packages > /dev/null || echo "$packages could not be installed" >&2
done

for unit in $(ls "$enabled" 2> /dev/null); do
  case "$before" in *" $unit "*) continue ;; esac
  systemctl disable --quiet "$unit" || echo "$unit will start at the next boot: systemctl disable $unit" >&2
done
