# shellcheck shell=sh
# Sourced by scripts: a folder of one's own in $work, in memory where that is possible. It is gone
# at the end, and so is the process in the background whose number is in $process.
[ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm
work=$(mktemp -d)
process=
trap '[ -z "$process" ] || kill -9 "$process" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM # sh runs the line above on exit only, not when a signal ends it
