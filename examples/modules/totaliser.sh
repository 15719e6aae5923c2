#!/bin/sh
# Adds up the flow of raw water, in m³/h, into the command inlet_totaliser, in m³: plain shell, curl and awk. What was
# added up survives a restart, since commands do. A flow that is not good adds nothing, and that is printed.
period=${PERIOD:-1}
trap 'exit 0' TERM

# ask METHOD PATH: the answer of the service. The token is not on the command line, where others could read it.
ask() {
  printf 'header = "Authorization: Bearer %s"\n' "$TELLTALE_TOKEN" |
    curl -sS --fail-with-body --max-time 5 -K - -X "$1" "${TELLTALE_BASE_URL%/}/$2"
}

# Seconds that go on evenly, whatever becomes of the time of day.
seconds() { cut -d ' ' -f 1 /proc/uptime; }

# log TEXT: prints it when it is another than the last one, and not every second.
log() {
  [ "$1" = "${logged:-}" ] || echo "$1"
  logged=$1
}

last=$(seconds)
while sleep "$period"; do
  # Such as {"inlet_flow":{"vtq":["d182.4",[1794726363,1000],192]}}: the value behind its datatype, and the quality.
  flow=$(ask GET 'measurements/?names=inlet_flow&fields=vtq' |
    sed -n 's/.*\["d\([^"]*\)",\[[0-9]*,[0-9]*\],\([0-9]*\)\].*/\1 \2/p')
  total=$(ask GET 'commands/?names=inlet_totaliser&fields=vt' | sed -n 's/.*\["d\([^"]*\)",.*/\1/p')
  now=$(seconds)
  quality=${flow#* }
  if [ -z "$flow" ] || [ -z "$total" ]; then
    log 'nothing is added: the service does not answer'
  elif [ $((quality & 192)) -ne 192 ]; then
    log "nothing is added: the quality of the flow is $quality"
  else
    sum=$(awk "BEGIN { printf \"%.6f\", $total + ${flow% *} * ($now - $last) / 3600 }")
    ask PUT "commands/inlet_totaliser?value=d$sum" && log 'adding up'
  fi
  last=$now
done
