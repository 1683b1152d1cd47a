#!/bin/sh
# Ctrl-C and SIGTERM finish the step, store a checkpoint and print the command that resumes; that
# command ends with the same bits. A run in the background ignores Ctrl-C, one under nohup ignores
# hangup.
# labels: long threads
. "$PX_SOURCE/test/command.sh"
frames=40
status 0 run $small --frames $frames -q -o "$work/straight"

# stop SIGNAL DIR OPTIONS...: starts a run and sends it the signal after its third frame; repeats
# this if the run was complete before.
stop() {
    signal=$1 dir=$2
    shift 2
    for try in 1 2 3 4 5 6; do
        rm -rf "$dir"
        got=0
        env --default-signal=INT,HUP,TERM "$phyxel" run $small --frames $frames -o "$dir" "$@" \
            >"$work/out" 2>"$work/err" &
        process=$!
        wait_for "$dir/frames/000003.h5"
        kill -"$signal" $process
        wait $process || got=$?
        process=
        [ $got = 0 ] || return 0
    done
    fail "$signal always comes too late"
}

go_on() { # DIR: does what the stopped run said
    advice=$(sed -n 's/.*to go on: phyxel //p' "$work/err")
    [ -n "$advice" ] || fail "no word on how to go on"
    eval "\"\$phyxel\" $advice -q" 2>"$work/err" || fail "phyxel $advice: failed"
    same "$work/straight" "$1"
    tidy "$1"
}

for signal in INT TERM HUP; do
    stop $signal "$work/stopped by $signal"
    [ $got = 1 ] || fail "SIG$signal: exit status $got, wanted 1"
    said "phyxel run: stopped at t = "
    said " of $frames"
    grep -q '"status": "stopped"' "$work/stopped by $signal/run.json" || fail "run.json knows nothing"
    status_words=$(cat "$work/err")
    "$phyxel" info "$work/stopped by $signal" >"$work/out" || fail "frames are damaged"
    grep -q "to go on: phyxel run --resume" "$work/out" || fail "info says not how to go on"
    echo "$status_words" >"$work/err"
    go_on "$work/stopped by $signal"
done

# --json: the last line says that it was stopped
stop INT "$work/json" --json
tail -1 "$work/out" | grep -q '^{"event": "stopped", .*"complete": false' || fail "no last line"
go_on "$work/json"

# one thread; no regular checkpoints; few checkpoints
stop INT "$work/seldom" --threads 1 --checkpoint 4
go_on "$work/seldom"
stop TERM "$work/never" --checkpoint 0
[ "$(ls "$work/never/checkpoints" | wc -l)" = 1 ] || fail "not one checkpoint"
go_on "$work/never"

# signals that the caller ignores stay ignored: background jobs and nohup
for signal in INT HUP; do
    rm -rf "$work/deaf"
    env --ignore-signal=$signal "$phyxel" run $small --frames $frames -o "$work/deaf" \
        >"$work/out" 2>"$work/err" &
    process=$!
    wait_for "$work/deaf/frames/000002.h5"
    kill -$signal $process 2>/dev/null
    wait $process || fail "an ignored SIG$signal stopped it"
    process=
    same "$work/straight" "$work/deaf"
done
exit 0
