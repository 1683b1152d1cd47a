# shellcheck shell=sh
# Sourced by the scripts that try the command from outside; $work is a folder of their own.
set -u
phyxel=$PX_BUILD/phyxel
scenes=$PX_SOURCE/scenes
[ -x "$phyxel" ] || {
    echo "no command in $PX_BUILD"
    exit 77
}
. "$PX_SOURCE/test/folder.sh"

fail() { # what; shows what the command said last
    echo "$*"
    for stream in out err; do
        [ ! -s "$work/$stream" ] || sed "s/^/  $stream| /" "$work/$stream" | head -30
    done
    exit 1
}

# status WANTED ARGUMENTS...: the command must end with this status. What it says is
# in $work/out and $work/err.
status() {
    wanted=$1
    shift
    got=0
    "$phyxel" "$@" >"$work/out" 2>"$work/err" || got=$?
    [ $got = "$wanted" ] || fail "phyxel $*: exit status $got, wanted $wanted"
}

said() { # WORDS that the last command must have said on stderr
    grep -qF -- "$1" "$work/err" || fail "it did not say: $1"
}

# same DIR DIR: the same frames, none damaged, and the same rows but for the last
# column, which is wall-clock time.
same() {
    for side in 1 2; do
        dir=$1
        [ $side = 1 ] || dir=$2
        "$phyxel" info "$dir" --hash >"$work/hash$side" 2>"$work/err" || fail "info $dir failed"
        sed 's/,[^,]*$//' "$dir/stats.csv" >"$work/rows$side"
    done
    diff "$work/hash1" "$work/hash2" || fail "$1 and $2 hold other frames"
    cmp "$work/rows1" "$work/rows2" || fail "$1 and $2 hold other rows"
    grep -q . "$work/hash1" || fail "$1 holds no frames"
}

tidy() { # DIR: nothing half-written is left
    left=$(find "$1" -name '*partial*')
    [ -z "$left" ] || fail "left behind: $left"
}

wait_for() { # FILE: until it is there, at most a minute
    tries=0
    until [ -e "$1" ]; do
        tries=$((tries + 1))
        [ $tries -lt 6000 ] || fail "$1 does not come"
        sleep 0.01
    done
}

# shellcheck disable=SC2034
# A run of many small frames: 240 particles, some ten steps a frame.
small="$scenes/dam-break.json --set spacing=0.1 --set time.fps=120"
