#!/bin/sh
# A function module in plain shell with curl: the service runs it and keeps its output. It asks the service every second.
# The names are those of the demo plant: put your own.
trap 'exit 0' TERM

# ask METHOD PATH [OPTION…]: the answer of the service. The token is not on the command line, where others could read it.
ask() {
  method=$1 path=$2
  shift 2
  printf 'header = "Authorization: Bearer %s"\n' "$TELLTALE_TOKEN" |
    curl -sS --fail-with-body --max-time 5 -K - -X "$method" "$@" "${TELLTALE_BASE_URL%/}/$path"
}

while :; do
  # Such as {"tank1_level":{"vtq":["d3.41",[1794726363,1000],192]}}: the value behind its datatype, and the quality.
  answer=$(ask GET 'measurements/?names=tank1_level&fields=vtq')
  level=$(printf '%s' "$answer" | sed -n 's/.*\["d\([^"]*\)",\[[0-9]*,[0-9]*\],\([0-9]*\)\].*/\1 \2/p')
  quality=${level#* }
  if [ "$(( ${quality:-0} & 192 ))" -eq 192 ]; then
    text=$(printf 'Tank 1: %.1f m' "${level% *}")
    if [ "$text" != "${shown:-}" ]; then
      # In a query a space is %20: a plus sign is a plus sign.
      value=$(printf '%s' "s$text" | sed 's/%/%25/g; s/ /%20/g')
      ask PUT "commands/gate_panel_text?value=$value" && shown=$text && echo "$text"
    fi
  fi
  sleep 1
done
