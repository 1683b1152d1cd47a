#!/bin/sh
# Full disks, damaged files, two processes in one folder: nothing is lost, and messages say what
# happened.
# labels: long
. "$PX_SOURCE/test/command.sh"
frames=12
status 0 run $small --frames $frames -q -o "$work/straight"

# files may not grow beyond a limit: everything fails in turn as the limit rises
# (in sh a block has 512 bytes)
failures=0
for blocks in 1 4 8 20 40 60 80 120; do
    rm -rf "$work/limited"
    got=0
    (
        ulimit -f $blocks
        exec "$phyxel" run $small --frames $frames -o "$work/limited" 2>"$work/limited.err"
    ) || got=$?
    # the message itself may have reached the limit
    [ $got = 1 ] || [ $got = 0 ] || fail "limit $blocks: exit status $got"
    [ $blocks -lt 4 ] || [ $got = 0 ] || grep -q "File too large" "$work/limited.err" ||
        fail "limit $blocks: not said why: $(cat "$work/limited.err")"
    failures=$((failures + got))
    [ ! -e "$work/limited/frames/000000.h5" ] || status 0 info "$work/limited"
    status 0 run $small --frames $frames --resume -q -o "$work/limited"
    same "$work/straight" "$work/limited"
    tidy "$work/limited"
done
[ $failures -ge 4 ] || fail "only $failures limits were too low"

# a small disk that is full
mkdir "$work/disk"
small_disk() { # COMMAND: with 300 kB at $work/disk
    unshare -m sh -c "mount -t tmpfs -o size=300k none '$work/disk' && $1" >"$work/out" 2>"$work/err"
}
if small_disk true; then
    small_disk "
        got=0
        '$phyxel' run $small --frames 100 -o '$work/disk/run' 2>'$work/said' || got=\$?
        [ \$got = 1 ] || exit 3
        '$phyxel' info '$work/disk/run' || exit 4
        cp -r '$work/disk/run' '$work/full'" || fail "on a full disk: $?"
    cp "$work/said" "$work/err"
    said "No space left on device"
    said "to go on: phyxel run --resume -o $work/disk/run"
    status 0 run $small --frames 100 -q -o "$work/hundred"
    status 0 run --resume -q -o "$work/full"
    same "$work/hundred" "$work/full"
    tidy "$work/full"
else
    echo "mounting is not permitted here: no small disk"
fi

# two processes in one folder: the second is refused, the first continues
rm -rf "$work/shared"
"$phyxel" run $small --frames $frames -q -o "$work/shared" &
process=$!
wait_for "$work/shared/frames/000000.h5"
kill -STOP $process
if kill -0 $process 2>/dev/null && [ ! -e "$work/shared/frames/0000$frames.h5" ]; then
    for how in '' --resume --overwrite; do
        status 2 run $small --frames $frames -o "$work/shared" $how
        said "another process is running into this folder"
    done
else
    echo "the first process was done too soon"
fi
kill -CONT $process
wait $process || fail "the first process failed"
process=
same "$work/straight" "$work/shared"

# a damaged newest checkpoint: the previous one is used, with a message
damage() { # HOW FILE
    size=$(wc -c <"$2")
    case $1 in
    cut) truncate -s $((size / 2)) "$2" ;;
    empty) : >"$2" ;;
    flipped) # some bytes, each of which was not 'x' before
        for at in 100 $((size / 3)) $((size - 40)); do
            printf 'x' | dd of="$2" bs=1 seek="$at" conv=notrunc 2>/dev/null
        done ;;
    esac
}
for how in cut empty flipped; do
    rm -rf "$work/damaged"
    status 0 run $small --frames 8 -q -o "$work/damaged"
    damage $how "$work/damaged/checkpoints/000008.h5"
    status 0 run $small --frames $frames --resume -o "$work/damaged"
    said "the newest checkpoint was damaged; went on from the one of frame 7"
    same "$work/straight" "$work/damaged"
    tidy "$work/damaged"
done
# both damaged: refused, and all files stay
damage cut "$work/damaged/checkpoints/0000$((frames - 1)).h5"
damage flipped "$work/damaged/checkpoints/0000$frames.h5"
status 1 run --resume -o "$work/damaged"
said "no checkpoint in '$work/damaged/checkpoints' can be used"
said "begun anew, by overwriting it"
same "$work/straight" "$work/damaged"
status 0 run $small --frames $frames -q --overwrite -o "$work/damaged"
same "$work/straight" "$work/damaged"

# a damaged frame: info and export say which
for how in cut empty flipped; do
    cp -r "$work/straight" "$work/frame"
    damage $how "$work/frame/frames/000003.h5"
    status 1 info "$work/frame"
    said "frame 3: "
    said "000003.h5"
    grep -q "1 damaged" "$work/out" || fail "info counts no damaged frame"
    status 1 info "$work/frame" --hash
    [ "$(wc -l <"$work/out")" = $frames ] || fail "not all other frames are listed"
    status 1 export "$work/frame" --to ply
    said "000003.h5"
    [ -e "$work/frame/ply/000002.ply" ] || fail "the frames before it were not kept"
    [ ! -e "$work/frame/ply/000003.ply" ] || fail "the damaged frame was exported"
    status 0 export "$work/frame" --to ply --first 4
    rm -r "$work/frame"
done
# a damaged run.json: the message has the line
cp -r "$work/straight" "$work/record"
damage cut "$work/record/run.json"
status 2 run --resume -o "$work/record"
said "run.json:"
status 1 run $small --frames $frames --resume -o "$work/record"
said "run.json:"
exit 0
