#!/bin/sh
# Rooms are one-way, and the check that says so can fail.
# labels: source
set -eu
cd "$PX_SOURCE"
tools/check-rooms

. "$PX_SOURCE/test/folder.sh"
tree=$work
mkdir -p "$tree/src/shape" "$tree/src/attic" "$tree/cli" "$tree/include/phyxel"
printf '#include "base/vec.h"\n#include "fluid/density.h"\n' >"$tree/src/shape/a.c"
printf '#include "base/vec.h"\n' >"$tree/src/attic/b.c"
printf '#include "phyxel/world.h"\n#include "options.h"\n#include "base/vec.h"\n#include "study/study.h"\n#include "study/drop.h"\n' >"$tree/cli/c.c"
printf '#include "base/vec.h"\n' >"$tree/include/phyxel/d.h"
if complaints=$(tools/check-rooms "$tree"); then
    echo "tools/check-rooms found nothing wrong with a tree that is"
    exit 1
fi
wanted="cli/c.c:3 cli/c.c:5 include/phyxel/d.h:1 src/attic/b.c:1 src/shape/a.c:2"
found=$(echo "$complaints" | cut -d: -f1,2 | sort | tr '\n' ' ')
if [ "$found" != "$wanted " ]; then
    printf 'tools/check-rooms complained about %s\nwanted %s\n' "$found" "$wanted"
    exit 1
fi
