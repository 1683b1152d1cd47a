#!/bin/sh
# Cloth in other programs: Blender imports it with the add-on, with texture coordinates, and plays
# its PC2 cache; ParaView finds strain, energy and bend of triangles in cloth.xdmf and frames.pvd.
# Skipped where there is neither.
set -u
blender=$(command -v blender)
[ -z "$blender" ] || # the script in Blender needs NumPy
    blender --background --factory-startup --python-exit-code 1 --python-expr 'import numpy' >/dev/null 2>&1 || blender=
pvpython=$(command -v pvpython)
[ -n "$blender$pvpython" ] || {
    echo "SKIPPED: neither Blender nor ParaView is installed (tools/install-deps clients)"
    exit 77
}
. "$PX_SOURCE/test/folder.sh"
# A sheet of 4 x 4 cells, of which the first column is held, with z up.
cat >"$work/sheet.json" <<'END'
{"phyxel": 1, "name": "sheet", "time": {"frames": 3, "fps": 10}, "up": "z", "gravity": [0, 0, -9.81], "spacing": 0.05,
 "materials": {"cotton": {"density": 100, "cloth": {"mass": 0.2}}},
 "bodies": [{"name": "sheet", "material": "cotton",
   "shape": {"sheet": {"width": 2, "length": 1, "columns": 4, "rows": 4}}}],
 "handles": [{"name": "hand", "body": "sheet", "shape": {"box": [1.2, 3, 0.1], "at": [-1, 0, 0]}}]}
END
"$PX_BUILD/phyxel" run "$work/sheet.json" -o "$work/run" -q || exit 1
for format in ply pc2 obj vtp; do
    "$PX_BUILD/phyxel" export "$work/run" --to $format --smooth 1 -q || exit 1
done
failed=0
if [ -n "$blender" ]; then
    "$PX_SOURCE/tools/blender/make-zip" "$work/addon.zip" >/dev/null || exit 1
    mkdir "$work/scripts" "$work/config"
    HOME=$work BLENDER_USER_SCRIPTS=$work/scripts BLENDER_USER_CONFIG=$work/config \
        blender --background --factory-startup --python-exit-code 1 \
        --python "$PX_SOURCE/test/blender_cloth.py" -- "$work/run" "$work/addon.zip" \
        >"$work/log" 2>&1 </dev/null || failed=1
    grep "^checked" "$work/log" || failed=1
    [ $failed = 0 ] || cat "$work/log"
fi
[ -z "$pvpython" ] || pvpython "$PX_SOURCE/test/paraview_cloth.py" "$work/run" || failed=1
exit $failed
