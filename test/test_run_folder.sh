#!/bin/sh
# Result folders that are removed, replaced or tampered with while a process writes to them or
# afterwards: exit status and messages are true, and runs are never mixed.
# labels: long
. "$PX_SOURCE/test/command.sh"
status 0 run $small --frames 6 -q -o "$work/straight"

# the folder is removed and a new run starts in it, while the old process lives
for round in 1 2 3 4 5 6 7 8; do
    "$phyxel" run $small --frames 5000 -o "$work/run" >"$work/old" 2>&1 &
    process=$!
    wait_for "$work/run/frames/00000$round.h5"
    kill -STOP $process
    rm -rf "$work/run"
    status 0 run $small --frames 6 -q -o "$work/run"
    kill -CONT $process
    got=0
    wait $process || got=$?
    process=
    [ $got = 1 ] || fail "the old run ended with $got: $(cat "$work/old")"
    grep -q "removed or replaced" "$work/old" || fail "the old run said: $(cat "$work/old")"
    ! grep -q "safe" "$work/old" || fail "the old run calls its frames safe: $(cat "$work/old")"
    status 0 info "$work/run"
    same "$work/straight" "$work/run"
    tidy "$work/run"
    rm -rf "$work/run"
done

# the folder is removed, and nobody makes it again
"$phyxel" run $small --frames 5000 -o "$work/run" >"$work/old" 2>&1 &
process=$!
wait_for "$work/run/frames/000002.h5"
mv "$work/run" "$work/moved"
got=0
wait $process || got=$?
process=
[ $got = 1 ] || fail "a run whose folder is gone ended with $got: $(cat "$work/old")"
[ ! -e "$work/run" ] || fail "the run made its folder again"

# statistics that are gone
cp -r "$work/straight" "$work/run"
rm "$work/run/stats.csv"
status 1 info "$work/run"
said stats.csv
status 1 run --resume --frames 8 -q -o "$work/run"
said "stats.csv' is missing"

# a frame of another run, and one that is gone
status 0 run $small --frames 6 -q -o "$work/other"
for command in info surface "export --to csv" "run --resume --frames 8 -o"; do
    rm -rf "$work/run"
    cp -r "$work/straight" "$work/run"
    cp "$work/other/frames/000003.h5" "$work/run/frames/000003.h5"
    status 1 $command "$work/run"
    said "another run"
    cp "$work/straight/frames/000003.h5" "$work/run/frames/000003.h5"
    rm "$work/run/frames/000006.h5"
    status 1 $command "$work/run"
    said missing
done

# links are not followed
mkdir "$work/target" "$work/linked"
ln -s "$work/target/lock" "$work/linked/.lock"
status 1 run $small --frames 1 -q -o "$work/linked"
said "symbolic link"
[ ! -e "$work/target/lock" ] || fail "it wrote through a link"
ln -s target "$work/link"
for folder in link link/ link//. link/./; do
    status 1 run $small --frames 1 -q -o "$work/$folder"
    said "symbolic link"
done
ln -s "$work/target" "$work/straight/csv"
status 1 export "$work/straight" --to csv
said "symbolic link"
rm "$work/straight/csv"
[ -z "$(ls "$work/target")" ] || fail "it wrote through a link"
for folder in frames checkpoints coat surface; do
    rm -rf "$work/linked"
    cp -r "$work/straight" "$work/linked"
    rm -rf "$work/linked/$folder"
    cp -r "$work/straight/frames" "$work/target/$folder"
    ln -s "$work/target/$folder" "$work/linked/$folder"
    status 1 run $small --frames 1 -q --overwrite -o "$work/linked"
    said "symbolic link"
    [ "$(ls "$work/target/$folder" | wc -l)" = 7 ] || fail "it removed files through a link"
done
status 1 surface "$work/linked"
said "symbolic link"

# a terminal obeys no path
escape=$(printf 'a\033[31mb')
for words in "run $work/$escape.json" "info $work/$escape" "render $work/$escape" "$escape" \
    "run --$escape" "export $work/straight --up $escape"; do
    "$phyxel" $words >"$work/out" 2>"$work/err" && fail "phyxel $words ended with 0"
    ! grep -q "$(printf '\033')" "$work/out" "$work/err" || fail "phyxel $words lets escapes pass"
done
status 0 run $small --frames 1 -o "$work/$escape"
! grep -q "$(printf '\033')" "$work/out" "$work/err" || fail "escapes pass after a run"

# a tiny stack
got=0
(ulimit -s 64 && exec "$phyxel" run $small --frames 2 -j 2 -q -o "$work/stack") 2>"$work/err" || got=$?
[ $got = 0 ] || { [ $got = 1 ] && said "the stack is limited to 64 kB"; } ||
    fail "with a stack of 64 kB it ended with $got"

# what a killed render leaves beside the film is cleaned by the next
if command -v ffmpeg >/dev/null; then
    : >"$work/other/.film.mp4.99999999.phyxel-partial"
    got=0
    "$phyxel" render "$work/other" --size 32x32 --samples 1 -q --film "$work/other/film.mp4" \
        2>"$work/err" || got=$?
    [ $got = 0 ] || grep -q Embree "$work/err" || fail "no film: $got"
    [ $got != 0 ] || tidy "$work/other"
fi
