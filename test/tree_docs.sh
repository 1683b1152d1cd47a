#!/bin/sh
# docs/files.md lists the files of the tree; links between pages lead to files that exist.
# labels: source
set -eu
cd "$PX_SOURCE"
tools/list-rooms --check

failed=0
for page in *.md docs/*.md; do
    for link in $(grep -o '](\([^)#:]*\)[)#]' "$page" | sed 's/^](//; s/[)#]$//'); do
        if [ ! -e "$(dirname "$page")/$link" ]; then
            echo "$page links to $link, which is not there"
            failed=1
        fi
    done
done
exit $failed
