#!/bin/sh
# kill -9 at any moment, resumed every time: the same bits in the end. Ten times a block
# of water, five times a jet whose particles come and go.
. "$PX_SOURCE/test/command.sh"

killing() { # TIMES FRAMES SCENE...
    times=$1 frames=$2
    shift 2
    scene=$*
    rm -rf "$work/straight" "$work/killed"
    status 0 run $scene --frames $frames -q -o "$work/straight"
    killed=0 tries=0 delays=
    while [ $killed -lt $times ]; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || fail "only $killed of 100 came in time; delays:$delays"
        # wait for the first frames and some milliseconds more
        delay=$(od -An -N2 -tu2 /dev/urandom)
        delay=0.$(printf %03d $((delay % 300)))
        delays="$delays $delay"
        got=0
        "$phyxel" run $scene --frames $frames --resume -o "$work/killed" >"$work/out" 2>"$work/err" &
        process=$!
        sleep $delay
        kill -9 $process 2>/dev/null
        wait $process 2>/dev/null || got=$?
        process=
        if [ $got = 0 ]; then # it was done: begin anew, the earlier kills count
            same "$work/straight" "$work/killed"
            rm -rf "$work/killed"
            continue
        fi
        [ $got = 137 ] || fail "exit status $got, wanted 137; delays:$delays"
        killed=$((killed + 1))
        [ -e "$work/killed/frames" ] || continue # before anything was made
        # all files are complete
        "$phyxel" info "$work/killed" >"$work/out" 2>"$work/err" || {
            grep -q "holds no frames" "$work/err" || fail "after delays$delays"
        }
    done
    status 0 run $scene --frames $frames --resume -o "$work/killed"
    same "$work/straight" "$work/killed"
    tidy "$work/killed"
}
killing 10 40 "$scenes/dam-break.json" --set spacing=0.06
killing 5 12 "$scenes/fountain.json" --set spacing=0.03 \
    --set 'sinks.drain.shape={"box":[1,0.1,1],"at":[0,0.24,0]}'
grep -q '"removed": [1-9]' "$work/killed/run.json" || fail "the drain had no effect"
exit 0
