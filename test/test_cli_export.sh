#!/bin/sh
# phyxel export of surfaces: every format, one material, surfels, some frames. Damaged files are
# reported, and files exported before them are kept.
. "$PX_SOURCE/test/command.sh"

run=$work/run
status 0 run $scenes/two-fluids.json --set spacing=0.05 --frames 3 -o "$run" -q
status 0 surface "$run" -q
status 0 surface "$run" --material oil -q
status 0 surface "$run" --surfels -q

vertices() { # FILE: how many its header says
    sed -n 's/^element vertex //p;/^end_header/q' "$1"
}

for format in vtp ply obj stl pov csv; do
    status 0 export "$run" --to $format --surface
    said "written to $run/$format-surface"
    [ "$(ls "$run/$format-surface" | grep -c '^00000[0-3]\.')" = 4 ] || fail "not 4 of $format"
done
[ -s "$run/vtp-surface/frames.pvd" ] || fail "no frames.pvd"
[ -s "$run/pov-surface/frames.pov" ] || fail "no frames.pov"
for number in 0 3; do
    file=00000$number.ply
    [ "$(vertices "$run/surface/$file")" = "$(vertices "$run/ply-surface/$file")" ] || fail "others"
done
# the same bytes except for the comments
for side in surface ply-surface; do
    sed '/^comment/d' "$run/$side/000002.ply" | cksum >"$work/$side"
done
cmp "$work/surface" "$work/ply-surface" || fail "a surface changed on its way from ply to ply"

status 0 export "$run" --to ply --surface --material oil --frames 2
[ "$(ls "$run/ply-surface-oil")" = 000002.ply ] || fail "not one frame of oil"
[ "$(vertices "$run/ply-surface-oil/000002.ply")" -lt "$(vertices "$run/surface/000002.ply")" ] ||
    fail "oil is not a part"
status 0 export "$run" --to pov --surfels --frames 1-2
status 2 export "$run" --to stl --surfels
said "stl holds triangles alone"
status 2 export "$run" --to pc2 --surface
said "the triangles change from frame 0"
status 0 export "$run" --to pc2 --frames 1-3
[ "$(wc -c <"$run/pc2/frames.pc2")" = $((32 + 3 * 12 * $(vertices "$run/pc2/base.ply"))) ] ||
    fail "not three frames of all particles"

# rigid bodies: 64 dominoes and a ball in three frames
dominoes=$work/dominoes
status 0 run $scenes/dominoes.json --frames 2 -o "$dominoes" -q
status 0 export "$dominoes" --to poses
bodies=$(grep -c '"rigid": true' $scenes/dominoes.json)
[ "$(wc -l <"$dominoes/poses/poses.csv")" = $((1 + 3 * bodies)) ] || fail "not a line a body and frame"
awk -F, 'NR == 1 { if ($10 != "turn_x" || NF != 19) exit 1; next }
    { s = $10 ^ 2 + $11 ^ 2 + $12 ^ 2 + $13 ^ 2; if (NF != 19 || s < 0.999999 || s > 1.000001) exit 1 }' \
    "$dominoes/poses/poses.csv" || fail "turns are no unit quaternions"
[ "$(ls "$dominoes/poses" | grep -c '^body_.*\.ply$')" = "$bodies" ] || fail "not a mesh a body"
[ "$(wc -l <"$dominoes/poses/bodies.csv")" = $((1 + bodies)) ] || fail "not a line a body"
[ "$(wc -l <"$dominoes/poses/joints.csv")" = 1 ] || fail "joints where there are none"
[ ! -e "$dominoes/poses/joint_states.csv" ] || fail "states of joints where there are none"
status 2 export "$dominoes" --to poses --up z
said "axes of the scene"
tidy "$dominoes"

# The camera in each frame, and the lamps; a run with nothing else has these.
cat >"$work/seen.json" <<'END'
{"phyxel": 1, "time": {"frames": 2, "fps": 2}, "spacing": 0.1, "gravity": [0, 0, 0],
 "materials": {"water": {"density": 1000}},
 "bodies": [{"name": "drop", "shape": {"sphere": 0.2}, "material": "water"}],
 "camera": [{"at": 0, "from": [2, 1, 2], "to": [0, 0, 0]},
            {"at": 1, "from": [0, 1, 3], "to": [0, 0.5, 0], "fov": 30, "ease": "linear"}],
 "lights": [{"at": [1, 2, 3], "radius": 0.25, "power": 2, "colour": [1, 0.5, 0]}]}
END
status 0 run "$work/seen.json" -o "$work/seen"
status 0 export "$work/seen" --to poses
printf 'frame,time,from_x,from_y,from_z,to_x,to_y,to_z,fov\n0,0,2,1,2,0,0,0,40\n1,0.5,1,1,2.5,0,0.25,0,35\n2,1,0,1,3,0,0.5,0,30\n' |
    cmp - "$work/seen/poses/camera.csv" || fail "the camera is not where it was"
printf 'light,at_x,at_y,at_z,red,green,blue,radius,power\n0,1,2,3,1,0.5,0,0.25,2\n' |
    cmp - "$work/seen/poses/lights.csv" || fail "not the lamp of the scene"

# A weld that breaks under the weight of its body, and one that holds.
cat >"$work/welds.json" <<'END'
{"phyxel": 1, "name": "welds", "time": {"frames": 2, "fps": 30}, "spacing": 0.05,
 "materials": {"stone": {"density": 1000}},
 "bodies": [
  {"name": "heavy", "shape": {"box": [0.2, 0.2, 0.2], "at": [0, 1, 0]}, "rigid": true, "material": "stone"},
  {"name": "light", "shape": {"box": [0.1, 0.1, 0.1], "at": [1, 1, 0]}, "rigid": true, "material": "stone"}],
 "joints": [{"name": "first", "kind": "weld", "body": "heavy", "at": [0, 1, 0], "breaks": 50},
            {"name": "second", "kind": "weld", "body": "light", "at": [1, 1, 0], "breaks": 50}]}
END
status 0 run "$work/welds.json" -o "$work/welds"
status 0 export "$work/welds" --to poses
states=$work/welds/poses/joint_states.csv
[ "$(wc -l <"$states")" = 7 ] || fail "not a line a joint and frame"
awk -F, '$1 == 2 && $3 == 0 && $4 == 1 && $5 == 0 {n++}
    $1 == 2 && $3 == 1 && $4 == 0 && $5 > 9.7 && $5 < 9.9 {n++} END {exit n != 2}' "$states" ||
    fail "the first weld has not broken, or the second does not carry 9.81 N"
tidy "$work/welds"

# walls: one that keyframes lift by 1 m in 0.5 s, and a figure that walks, in three frames of a tenth
"$phyxel" make walker -o "$work/figure.obj" --poses "$work/figure.pc2" --triangles 1000 --seconds 0.5 >"$work/out" 2>&1 ||
    fail "no figure"
cat >"$work/walls.json" <<'END'
{"phyxel": 1, "name": "walls", "time": {"frames": 2, "fps": 10}, "spacing": 0.05,
 "materials": {"cotton": {"density": 100, "cloth": {"mass": 0.2}}},
 "bodies": [
  {"name": "lift", "wall": true, "shape": {"box": [0.2, 0.1, 0.4], "at": [1, 2, 3]},
   "keyframes": [{"at": 0, "move": [0, 0, 0]}, {"at": 0.5, "move": [0, 1, 0]}]},
  {"name": "figure", "wall": true, "shape": {"mesh": {"file": "figure.obj", "poses": "figure.pc2", "fps": 15}}},
  {"name": "floor", "wall": true, "shape": {"plane": [0, 1, 0]}},
  {"name": "sheet", "material": "cotton",
   "shape": {"sheet": {"width": 1, "length": 1, "columns": 4, "rows": 4}, "at": [5, 5, 0]}}]}
END
walls=$work/walls
status 0 run "$work/walls.json" -o "$walls" -q
status 0 export "$walls" --to poses
awk -F, '$3 == 0 { print $5, $8 }' "$walls/poses/poses.csv" >"$work/lift"
[ "$(cat "$work/lift")" = "2 0
2 0.2
2 0.4" ] || fail "the wall is lifted otherwise: $(cat "$work/lift")"
points=$(vertices "$walls/poses/body_1.ply")
[ "$(wc -c <"$walls/poses/body_1.pc2")" = $((32 + 3 * 12 * points)) ] || fail "not three frames of the figure"
[ "$(grep -c '^1,body_1.ply,deforms,0' "$walls/poses/bodies.csv")" = 1 ] || fail "the figure does not deform"
[ "$(wc -l <"$walls/poses/bodies.csv")" = 3 ] || fail "a plane has a mesh"
tidy "$walls"

# damage
rm -r "$run/obj-surface"
truncate -s -7 "$run/surface/000002.ply"
status 1 export "$run" --to obj --surface
said "000002.ply: the file is damaged"
said "the frames before it are written"
[ "$(ls "$run/obj-surface")" = "000000.obj
000001.obj" ] || fail "not the two before it"
rm "$run/surface/000002.ply"
status 1 export "$run" --to vtp --surface
said "has no frame 2, but 1 and 3"
tidy "$run"
