#!/bin/sh
# What npm runs where the Node that it has just installed does not start: says in one line what to do.
if node -e 0 2>&1 | grep -q libatomic; then
  echo 'telltale: Node needs libatomic.so.1, which this machine lacks. On Debian and Ubuntu: apt-get install libatomic1' >&2
fi
exit 1
