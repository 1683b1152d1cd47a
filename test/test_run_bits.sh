#!/bin/sh
# The same bits for 1, 2 and 3 threads and for the base instruction set; after a stop during events
# and wall motion; for a run that was extended and one without a stop.
# labels: long threads
. "$PX_SOURCE/test/command.sh"

# threads and instructions: enough particles for several blocks a thread
dam="$scenes/dam-break.json --set spacing=0.04 --set time.fps=120"
# The thread sanitizer looks for races, which one run of each kind shows; other builds compare
# bits.
frames=2
case "${PX_SANITIZE:-}" in *thread*) frames=1 ;; esac
status 0 run $dam --frames $frames -q --threads 1 -o "$work/1"
for threads in 2 3; do
    status 0 run $dam --frames $frames -q --threads $threads -o "$work/$threads"
    same "$work/1" "$work/$threads"
done
PHYXEL_ISA=base "$phyxel" run $dam --frames $frames -q -o "$work/base" || fail "on base instructions"
same "$work/1" "$work/base"
grep -q '"instructions": "base"' "$work/base/run.json" || fail "it was not on base instructions"
by_frame() { # NAME FRAMES ARGUMENTS...
    name=$1 frames=$2
    shift 2
    status 0 run "$scenes/$name.json" "$@" --frames $frames -q -o "$work/$name"
    frame=0
    while [ $frame -lt $frames ]; do
        frame=$((frame + 1))
        status 0 run "$scenes/$name.json" "$@" --frames $frame -q --resume -o "$work/$name.cut"
    done
    same "$work/$name" "$work/$name.cut"
    tidy "$work/$name.cut"
}
if [ $frames = 1 ]; then
    # a jet, a drain, an event and a resume; keyframes are in test_world
    by_frame fountain 2 --set spacing=0.04 --set time.fps=50 \
        --set sinks.drain.shape='{"box": [1, 0.1, 1], "at": [0, 0.24, 0]}' \
        --set events='[{"at": 0.03, "set": "emitters.jet.speed", "to": 3}]'
    exit 0
fi
# a run may change both when it is resumed
PHYXEL_ISA=base "$phyxel" run $dam --frames 1 -q --threads 1 -o "$work/mixed" || fail "at first"
status 0 run $dam --frames 2 -q --threads 3 --resume -o "$work/mixed"
same "$work/1" "$work/mixed"

# Events and keyframes, once without a stop and once frame by frame. The times of the shipped scenes
# are scaled down, so that events and motion happen within a few frames.
paddle='[{"at": 0}, {"at": 0.1, "move": [0, -0.15, 0]},
 {"at": 0.3, "move": [0, -0.15, 0], "turn": {"axis": [0, 1, 0], "degrees": 90}}]'
by_frame events 6 --set spacing=0.05 --set time.fps=20 \
    --set events[0].at=0.06 --set events[1].at=0.1 --set events[2].at=0.15 \
    --set events[3].at=0.17 --set events[4].at=0.2
by_frame sloshing 5 --set spacing=0.06 --set time.fps=8
by_frame stir 6 --set spacing=0.06 --set time.fps=20 --set bodies.paddle.keyframes="$paddle"
# a jet and a drain; the jet reaches the drain within a few frames
by_frame fountain 5 --set spacing=0.03 --set time.fps=50 \
    --set sinks.drain.shape='{"box": [1, 0.1, 1], "at": [0, 0.24, 0]}' \
    --set events='[{"at": 0.05, "set": "emitters.jet.speed", "to": 3}]'
grep -q '"removed": [1-9]' "$work/fountain/run.json" || fail "the drain had no effect"
# events and wall motion took effect: frames without them differ
status 0 run "$scenes/events.json" --set spacing=0.05 --set time.fps=20 --frames 6 -q -o "$work/quiet"
"$phyxel" info "$work/events" --hash >"$work/hash1"
"$phyxel" info "$work/quiet" --hash >"$work/hash2"
[ "$(comm -12 "$work/hash1" "$work/hash2" | wc -l)" -le 2 ] || fail "the events had no effect"
status 0 run "$scenes/stir.json" --set spacing=0.06 --set time.fps=20 --frames 6 -q -o "$work/still" \
    --set bodies.paddle.keyframes='[{"at": 0}, {"at": 1}]'
"$phyxel" info "$work/stir" --hash >"$work/hash1"
"$phyxel" info "$work/still" --hash >"$work/hash2"
[ "$(comm -12 "$work/hash1" "$work/hash2" | wc -l)" -le 3 ] || fail "the paddle had no effect"

# a run extended with --resume equals a longer run without a stop
status 0 run $small --frames 9 -q -o "$work/nine"
status 0 run $small --frames 4 -q -o "$work/longer"
status 0 run --resume --frames 9 -q -o "$work/longer"
same "$work/nine" "$work/longer"
# fewer frames than stored leave the run unchanged
status 0 run --resume --frames 2 -q -o "$work/longer"
same "$work/nine" "$work/longer"

# frames of cloth and rigid bodies without particles have hashes of their own
for name in drape dominoes; do
    status 0 run "$scenes/$name.json" --frames 3 -q --threads 1 -o "$work/$name"
    status 0 run "$scenes/$name.json" --frames 3 -q --threads 2 -o "$work/$name.2"
    same "$work/$name" "$work/$name.2"
    [ "$("$phyxel" info "$work/$name" --hash | cut -d' ' -f2 | sort -u | wc -l)" = 4 ] ||
        fail "frames of $name that differ have the same hash"
done
exit 0
