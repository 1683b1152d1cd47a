#!/bin/sh
# Blender installs the add-on from its zip, imports a sequence and finds counts, bounds, colours and
# velocities; renders it; plays pc2. Skipped where there is no blender.
set -u
command -v blender >/dev/null || {
    echo "SKIPPED: Blender is not installed (tools/install-deps clients): no blender"
    exit 77
}
. "$PX_SOURCE/test/folder.sh"
"$PX_BUILD/test/store_sample" "$work/run" || exit 1
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
