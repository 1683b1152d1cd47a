#!/bin/sh
# phyxel surface: files, surfaces that are kept, messages, bad input.
# labels: long threads
. "$PX_SOURCE/test/command.sh"

status 0 run $small --frames 4 -q -o "$work/run"

# every frame has a surface, described by its header
status 0 surface "$work/run"
[ ! -s "$work/out" ] || fail "talk on stdout"
said "5 made, 0 were up to date"
for k in 0 1 2 3 4; do
    [ -s "$work/run/surface/00000$k.ply" ] || fail "no surface of frame $k"
done
head -c 1500 "$work/run/surface/000002.ply" | sed '/end_header/q' >"$work/header" 2>/dev/null
for line in "format binary_little_endian 1.0" "comment phyxel surface of frame 2, y up, SI units" \
    "property float x" "property float nx" "property uchar red" "property float vx" \
    "property float temperature" "property list uchar int vertex_indices"; do
    grep -aqF "$line" "$work/header" || fail "the header lacks: $line"
done
tidy "$work/run"
status 0 info "$work/run"
grep -q "  5 surfaces made by 'phyxel surface', in surface" "$work/out" || fail "not 5 surfaces"
! grep -q "degrees\|coats\|skins" "$work/out" || fail "what is not there"

# melting matter has a coat and temperatures
cat >"$work/wax.json" <<END
{"phyxel": 1, "spacing": 0.02, "time": {"frames": 1}, "materials": {"wax": {"density": 900,
 "young": 1e5, "diffusivity": 1e-4, "melts": {"from": 40, "to": 60}}}, "bodies": [
 {"shape": {"box": [0.08, 0.08, 0.08]}, "material": "wax", "temperature": 20},
 {"shape": {"box": [0.08, 0.08, 0.08], "at": [1, 0, 0]}, "material": "wax", "temperature": 80}]}
END
status 0 run "$work/wax.json" -q -o "$work/wax"
status 0 info "$work/wax"
grep -q "  20 to 80 degrees C in the last one, 50 % molten" "$work/out" || fail "no heat"
grep -q "  2 coats of what flows or melts, in coat" "$work/out" || fail "no coats"

# triangles that cross cloth are counted, except where they are meant to
cat >"$work/sheet.json" <<END
{"phyxel": 1, "spacing": 0.02, "time": {"frames": 1}, "materials": {"cotton": {"density": 115,
 "cloth": {"mass": 0.2}}, "water": {"density": 1000}}, "bodies": [
 {"shape": {"sheet": {"width": 0.2, "length": 0.2, "columns": 10, "rows": 10}}, "material": "cotton"},
 {"shape": {"box": [0.08, 0.08, 0.08], "at": [0, 0.042, 0]}, "material": "water"}]}
END
status 0 run "$work/sheet.json" -q -o "$work/sheet"
status 0 surface "$work/sheet"
said "0 pairs of triangles of surfaces and cloth cross"
status 0 surface "$work/sheet" --sink 0.3
said "cross, not counting what --sink moves into the cloth"

# the same bits for any number of threads; surfaces that are up to date are kept
(cd "$work/run/surface" && cksum *.ply) >"$work/sums"
status 0 surface "$work/run"
said "0 made, 5 were up to date"
status 0 surface "$work/run" --overwrite -j 3 -q
[ ! -s "$work/err" ] || fail "not quiet"
(cd "$work/run/surface" && cksum *.ply) | diff - "$work/sums" || fail "other bits with 3 threads"

# other options or another frame replace a surface
status 0 surface "$work/run" --frames 1-2 --cell 1
said "2 made, 0 were up to date"
status 0 surface "$work/run"
said "2 made, 3 were up to date"
cp "$work/run/surface/000003.ply" "$work/old.ply"
echo mine >"$work/run/surface/notes.txt"
printf 'ply\nformat ascii 1.0\nelement vertex 0\nend_header\n' >"$work/run/surface/000009.ply"
status 0 run $small --frames 4 -q --overwrite --set materials.water.viscosity=5 -o "$work/run"
[ ! -e "$work/run/surface/000003.ply" ] || fail "a surface of the run that was overwritten"
[ -e "$work/run/surface/notes.txt" ] && [ -e "$work/run/surface/000009.ply" ] ||
    fail "files by others are gone"
rm "$work/run/surface/notes.txt" "$work/run/surface/000009.ply"
cp "$work/old.ply" "$work/run/surface/000003.ply"
status 1 export "$work/run" --to obj --surface
said "000003.ply' was made of another run than the frame that is there; 'phyxel surface'"
status 0 surface "$work/run" --frames 3-
said "2 made, 0 were up to date"

# each field, smoothed or not, columns, surfels
for field in density zhu-bridson onderik anisotropic; do
    status 0 surface "$work/run" --frames 4 --field $field --smoothing 0.5 --gap 0.1 --no-walls \
        --radius 2.5 --iso 0.4 --columns density,pressure -j 1
    head -c 2000 "$work/run/surface/000004.ply" | grep -aqF "property float pressure" ||
        fail "no pressure"
done
status 0 surface "$work/run" --surfels --frames -1
[ -s "$work/run/surfels/000001.ply" ] && [ ! -e "$work/run/surfels/000002.ply" ] || fail "surfels"
head -c 1500 "$work/run/surfels/000001.ply" | grep -aqF "property float radius" || fail "no radius"
! head -c 1500 "$work/run/surfels/000001.ply" | grep -aqF "element face" || fail "faces of surfels"

# --measure: one row for each surface
status 0 surface "$work/run" --measure -q
[ "$(wc -l <"$work/run/surface/measure.csv")" = 6 ] || fail "not 5 rows"
head -1 "$work/run/surface/measure.csv" | grep -q '^frame,time,material,.*area,volume,interface,components$' ||
    fail "the names of the columns"
# the block of water is 240 particles of 0.1 m: 0.24 m^3, less its rounded edges
awk -F, 'NR == 2 && ($3 != "water" || $8 < 0.22 || $8 > 0.25 || $4 != 240) { exit 1 }' \
    "$work/run/surface/measure.csv" || fail "the volume of the first frame"

# two materials: both in one file, or one in a folder of its own
status 0 run "$scenes/two-fluids.json" --frames 1 --set spacing=0.05 -q -o "$work/two"
status 0 surface "$work/two" --measure -q
head -c 1500 "$work/two/surface/000001.ply" | grep -aqF "property uint material" || fail "no material"
[ "$(wc -l <"$work/two/surface/measure.csv")" = 5 ] || fail "not a row a frame and material"
name=$(sed -n 2p "$work/two/surface/measure.csv" | cut -d, -f3)
awk -F, 'NR > 1 && $9 <= 0 { exit 1 }' "$work/two/surface/measure.csv" || fail "no interface"
status 0 surface "$work/two" --material "$name" -q
[ -s "$work/two/surface/$name/000001.ply" ] || fail "no folder of its own"
status 2 surface "$work/two" --material "${name}x"
said "there is no material '${name}x'; there are oil, water; did you mean '$name'?"

# wrong calls
status 2 surface
said "DIR is missing"
status 2 surface "$work/no"
said "there is no folder"
mkdir "$work/empty"
status 2 surface "$work/empty"
said "has no frames"
status 2 surface "$work/run" --frames 7
said "has no frame from 7 to 7, 4 is the last"
for range in x 3-1 - 1-x ""; do
    status 2 surface "$work/run" --frames "$range"
    said "--frames wants 7, 3-9, 3- or -9"
done
status 2 surface "$work/run" --field denisty
said "there is no field 'denisty', wanted one of anisotropic, density"
status 2 surface "$work/run" --cell 100
said "cell is 100 spacings, wanted 0.1 to 4"
status 2 surface "$work/run" --smoothing -1
said "--smoothing wants a number from 0 on"
status 2 surface "$work/run" --columns presure
said "there is no column 'presure', wanted one of"
said "did you mean 'pressure'?"
# contact surfaces of two soft balls, a quarter of a spacing apart, and a floor below one of them
cat >"$work/balls.json" <<'END'
{"phyxel": 1, "time": {"frames": 1, "fps": 100}, "spacing": 0.02,
 "materials": {"jelly": {"density": 1000, "young": 2e4}, "rubber": {"density": 1000, "young": 2e6}},
 "bodies": [{"name": "floor", "shape": {"plane": {}}, "wall": true},
  {"name": "left", "shape": {"sphere": 0.1, "at": [-0.1, 0.1, 0]}, "material": "jelly"},
  {"name": "right", "shape": {"sphere": 0.1, "at": [0.105, 0.15, 0]}, "material": "rubber", "surfels": 3000}]}
END
status 0 run "$work/balls.json" -o "$work/balls" -q
status 0 surface "$work/balls" --contact
said "2 made"
head -c 1200 "$work/balls/contact/000000.ply" | grep -aqF "property float depth" || fail "no depth of contacts"
[ "$(head -c 1200 "$work/balls/contact/000000.ply" | sed -n 's/^element vertex //p')" -gt 20 ] || fail "no contact nodes"
status 0 surface "$work/balls" --contact
said "0 made, 2 were up to date"
status 0 export "$work/balls" --contact --to csv -q
head -1 "$work/balls/csv-contact/000000.csv" | grep -q "body,other,depth" || fail "no depth in csv"
status 2 surface "$work/balls" --contact --material jelly
said "between all bodies"
status 2 surface "$work/run" --contact --frames 1
said "no body of the frame has a skin"
tidy "$work/balls"
cat >"$work/cloth.json" <<'END'
{"phyxel": 1, "time": {"frames": 1, "fps": 100}, "spacing": 0.02,
 "materials": {"silk": {"density": 100, "cloth": {}}},
 "bodies": [{"name": "floor", "shape": {"plane": {}}, "wall": true},
  {"name": "veil", "shape": {"sheet": {"width": 0.1, "length": 0.1}, "at": [0, 0.002, 0]}, "material": "silk"}]}
END
status 0 run "$work/cloth.json" -o "$work/cloth" -q
status 2 surface "$work/cloth" --contact
said "no body of the frame has a skin"

status 2 surface "$work/run" --surfels --measure
said "surfels have no area to measure"

# bad frames: earlier surfaces are kept
rm -r "$work/run/surface"
mv "$work/run/frames/000002.h5" "$work/frame"
status 1 surface "$work/run" --measure
said "frame 2 is missing, the next one is 3"
[ -s "$work/run/surface/000001.ply" ] && [ ! -e "$work/run/surface/000003.ply" ] || fail "not as far"
[ "$(wc -l <"$work/run/surface/measure.csv")" = 3 ] || fail "not 2 rows"
head -c 3000 "$work/frame" >"$work/run/frames/000002.h5"
status 1 surface "$work/run"
said "frames/000002.h5"
[ ! -e "$work/run/surface/000002.ply" ] || fail "a surface of a damaged frame"
cp "$work/frame" "$work/run/frames/000002.h5"
status 0 surface "$work/run" -q
tidy "$work/run"

# a full disk: the old surface is kept
if [ -w /dev/full ]; then
    (
        ulimit -f 8
        "$phyxel" surface "$work/run" --cell 0.2 --frames 1 >"$work/out" 2>"$work/err"
        [ $? = 1 ] || exit 1
    ) || fail "no failure though files may not grow"
    said "frame 1: "
    head -c 300 "$work/run/surface/000001.ply" | grep -aqF "cell 0.5" || fail "the old one is gone"
    tidy "$work/run"
fi

# stopped: complete surfaces are kept, and the same command continues
rm -r "$work/run/surface"
"$phyxel" surface "$work/run" --cell 0.15 >"$work/out" 2>"$work/err" &
process=$!
wait_for "$work/run/surface/000000.ply"
kill -INT $process 2>/dev/null
got=0
wait $process || got=$?
process=
if [ $got = 1 ]; then
    said "the same command continues"
    status 0 surface "$work/run" --cell 0.15
    grep -q " 0 were up to date" "$work/err" && fail "all was made anew"
fi
[ "$(ls "$work/run/surface" | wc -l)" = 5 ] || fail "not all frames"
tidy "$work/run"
exit 0
