#!/bin/sh
# phyxel branch: the new run equals a run of its scene from the start; invalid calls are refused.
. "$PX_SOURCE/test/command.sh"

status 0 run $small --frames 6 -o "$work/run" -q
status 0 branch "$work/run" --at 5 --set gravity='[3, -4, 0]' -o "$work/late" -q
status 0 branch "$work/run" --at 2 --set materials.water.viscosity=5 -o "$work/early" -q
grep -q '"branch"' "$work/late/run.json" || fail "run.json does not say where it branches off"
tidy "$work/late"

# equal to a run from the start, and resumable
python3 -c 'import json, sys; json.dump(json.load(open(sys.argv[1]))["scene"], open(sys.argv[2], "w"))' \
    "$work/late/run.json" "$work/scene.json" || exit 77
status 0 run "$work/scene.json" -o "$work/straight" -q
same "$work/straight" "$work/late"
status 0 run --resume --frames 8 -o "$work/late" -q
status 0 run "$work/scene.json" --frames 8 -o "$work/straight8" -q
same "$work/straight8" "$work/late"
grep -q '"branch"' "$work/late/run.json" || fail "resuming forgets where it branches off"

# frames up to the branch are equal, the next one differs
for dir in run early; do "$phyxel" info "$work/$dir" --hash >"$work/$dir.hash"; done
head -3 "$work/run.hash" >"$work/a"
head -3 "$work/early.hash" | cmp - "$work/a" || fail "other frames before the branch"
sed -n 4p "$work/run.hash" >"$work/a"
! sed -n 4p "$work/early.hash" | cmp -s - "$work/a" || fail "the same frame after the branch"

status 2 branch "$work/none" --at 2 --set courant=0.3 -o "$work/x"
said "there is no folder"
mkdir "$work/empty"
status 2 branch "$work/empty" --at 2 --set courant=0.3 -o "$work/x"
said "run.json"
status 2 branch "$work/run" --at 9 --set courant=0.3 -o "$work/x"
said "has no frame 9"
status 2 branch "$work/run" --at 6 --set courant=0.3 -o "$work/x"
said "is the last"
status 2 branch "$work/run" --at 2 --set spacing=0.3 -o "$work/x"
said "cannot change while the world"
status 2 branch "$work/run" --at 2 --set courant -o "$work/x"
said "wants PATH=VALUE"
status 2 branch "$work/run" --at 2 -o "$work/x"
said "--set is missing"
status 2 branch "$work/run" --at 2 --set courant=0.3 -o "$work/late"
said "holds a run already"
said "phyxel run --resume -o"
status 2 branch "$work/run" --at 2 --set rubbish=1 -o "$work/x"
said "'rubbish' cannot be set: there is no 'rubbish'"
[ ! -e "$work/x" ] || fail "something was left behind"
