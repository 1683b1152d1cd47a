#!/bin/sh
# ParaView reads frames.pvd of particles and of surfaces, and frames.xdmf: counts, cells, times,
# arrays. Skipped where there is no pvpython.
set -u
command -v pvpython >/dev/null || {
    echo "SKIPPED: ParaView is not installed (tools/install-deps clients): no pvpython"
    exit 77
}
. "$PX_SOURCE/test/folder.sh"
"$PX_BUILD/test/store_sample" "$work" || exit 1
pvpython "$PX_SOURCE/test/paraview_reads.py" "$work" # reading needs no screen
