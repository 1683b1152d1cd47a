#!/bin/sh
# POV-Ray parses and draws exported files without an error or a warning, also an empty frame. Skipped
# without povray.
set -u
command -v povray >/dev/null || {
    echo "SKIPPED: POV-Ray is not installed (tools/install-deps clients): no povray"
    exit 77
}
. "$PX_SOURCE/test/folder.sh"
"$PX_BUILD/test/store_sample" "$work" || exit 1
for folder in pov pov-surface; do
    cd "$work/$folder" || exit 1
    HOME=$work povray frames.pov +KFI1 +KFF3 +W32 +H18 -D -GA +GF +GW \
        "+O$work/$folder.png" >"$work/log" 2>&1 </dev/null || {
        echo "$folder: povray failed"
        tail -20 "$work/log"
        exit 1
    }
    if grep -i "warning: \|error" "$work/log"; then
        exit 1
    fi
    # all three pictures differ
    [ "$(cat "$work/$folder"[123].png | wc -c)" -gt 0 ] || exit 1
    [ "$(for k in 1 2 3; do cksum <"$work/$folder$k.png"; done | sort -u | wc -l)" = 3 ] || {
        echo "$folder: pictures of different frames are the same"
        exit 1
    }
done
