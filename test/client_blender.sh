#!/bin/sh
# Blender installs the add-on from its zip, imports a sequence and finds counts, bounds, colours and
# velocities; renders it; plays pc2. Skipped where there is no Blender, or no NumPy for it.
set -u
command -v blender >/dev/null &&
    blender --background --factory-startup --python-exit-code 1 --python-expr 'import numpy' >/dev/null 2>&1 || {
    echo "SKIPPED: Blender with NumPy is not installed (tools/install-deps clients)"
    exit 77
}
. "$PX_SOURCE/test/folder.sh"
"$PX_BUILD/test/store_sample" "$work/run" || exit 1
"$PX_BUILD/phyxel" make walker -o "$work/figure.obj" --poses "$work/figure.pc2" --triangles 1000 --seconds 1 >/dev/null 2>&1 || exit 1
# A box that flies and turns, with a spring too weak to matter, and one on a hinge; a wall that is
# lifted, and a figure that walks. A camera that rises, and a lamp. Without matter otherwise.
mkdir "$work/scene"
cat >"$work/scene/rigid.json" <<'END'
{"phyxel": 1, "name": "rigid", "time": {"frames": 10, "fps": 10}, "gravity": [0, 0, 0], "spacing": 0.05,
 "materials": {"wood": {"density": 500, "look": {"kind": "matte", "colour": [1, 0.5, 0]}}},
 "bodies": [
  {"name": "flying, \"turning\"", "shape": {"box": [0.2, 0.1, 0.4], "at": [1, 2, 3]}, "material": "wood",
   "rigid": true, "velocity": [1, 0, 0], "spin": [0, 3.14159265358979, 0]},
  {"name": "door", "shape": {"box": [0.4, 0.2, 0.1], "at": [-1, 0, 0]}, "material": "wood", "rigid": true},
  {"name": "lift", "wall": true, "shape": {"box": [0.2, 0.1, 0.4], "at": [5, 2, 3]},
   "keyframes": [{"at": 0, "move": [0, 0, 0]}, {"at": 1, "move": [0, 1, 0]}]},
  {"name": "figure", "wall": true,
   "shape": {"mesh": {"file": "../figure.obj", "poses": "../figure.pc2", "fps": 15}, "at": [9, 0, 0]}}],
 "camera": [{"at": 0, "from": [0, 0, 5], "to": [0, 0, 0]}, {"at": 1, "from": [0, 5, 5], "to": [0, 0, 0], "ease": "linear"}],
 "lights": [{"at": [1, 2, 3], "radius": 0.25, "power": 2, "colour": [1, 1, 0]}],
 "joints": [
  {"name": "thread", "kind": "spring", "body": "flying, \"turning\"", "at": [1.1, 2, 3], "anchor": [0, 2, 3], "stiffness": 1e-9},
  {"name": "hinge", "kind": "hinge", "body": "door", "at": [-1.2, 0, 0], "axis": [0, 0, 1]}]}
END
"$PX_BUILD/phyxel" run "$work/scene/rigid.json" -o "$work/run/rigid" -q || exit 1
"$PX_BUILD/phyxel" export "$work/run/rigid" --to poses -q || exit 1
"$PX_SOURCE/tools/blender/make-zip" "$work/addon.zip" >/dev/null || exit 1
mkdir "$work/scripts" "$work/config"
HOME=$work BLENDER_USER_SCRIPTS=$work/scripts BLENDER_USER_CONFIG=$work/config \
    blender --background --factory-startup --python-exit-code 1 \
    --python "$PX_SOURCE/test/blender_reads.py" -- "$work/run" "$work/addon.zip" \
    >"$work/log" 2>&1 </dev/null || {
    cat "$work/log"
    exit 1
}
grep "^checked" "$work/log" || {
    cat "$work/log"
    exit 1
}
