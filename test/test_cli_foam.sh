#!/bin/sh
# phyxel foam: files, the same bits for any number of threads, messages.
. "$PX_SOURCE/test/command.sh"

cat >"$work/splash.json" <<END
{"phyxel": 1, "spacing": 0.05, "time": {"frames": 4, "fps": 30}, "materials": {"water":
 {"density": 1000, "pressure": "dfsph"}}, "bodies": [
 {"name": "tank", "shape": {"box": [1, 1, 0.4], "at": [0, 0.5, 0]}, "wall": true, "inside": true},
 {"shape": {"box": [0.3, 0.3, 0.4], "at": [-0.16, 0.3, 0]}, "material": "water", "velocity": [3, 0, 0]},
 {"shape": {"box": [0.3, 0.3, 0.4], "at": [0.16, 0.3, 0]}, "material": "water", "velocity": [-3, 0, 0]}]}
END
status 0 run "$work/splash.json" -q -o "$work/run"
status 0 foam "$work/run" -j 1
[ ! -s "$work/out" ] || fail "talk on stdout"
said "5 frames in"
for k in 0 1 2 3 4; do
    [ -s "$work/run/foam/00000$k.ply" ] || fail "no foam of frame $k"
done
head -c 1500 "$work/run/foam/000004.ply" | sed '/end_header/q' >"$work/header" 2>/dev/null
for line in "comment phyxel foam of frame 4, y up, SI units" "property float radius" \
    "property float kind" "property float vx"; do
    grep -aqF "$line" "$work/header" || fail "the header lacks: $line"
done
grep -aqE "element vertex [0-9]{3,}" "$work/header" || fail "hardly any foam"
(cd "$work/run/foam" && cksum *.ply) >"$work/sums"
status 0 foam "$work/run" -j 2 -q
(cd "$work/run/foam" && cksum *.ply) | cmp -s - "$work/sums" || fail "other bits with two threads"
tidy "$work/run"
status 0 export "$work/run" --foam --to csv -q
head -1 "$work/run/csv-foam/000004.csv" | grep -q "radius,kind,left" || fail "no kind of foam in csv"
[ "$(sed 1d "$work/run/csv-foam/000004.csv" | wc -l)" = \
    "$(sed -n 's/^element vertex //p' "$work/header")" ] || fail "other foam in csv"
status 0 export "$work/run" --foam --to vtp -q
grep -q 000004.vtp "$work/run/vtp-foam/frames.pvd" || fail "no index of foam"
status 0 info "$work/run"
grep -q "5 frames of foam" "$work/out" || fail "info does not tell of foam"

# bad input
status 2 foam "$work/nowhere"
status 2 foam "$work/run" --amount -1
