#!/bin/sh
# docs/files.md lists the files of the tree, docs/scene.md the columns of stats.csv; links between
# pages lead to files that exist, and so do the files that the glossary names.
# labels: source
set -eu
cd "$PX_SOURCE"
tools/list-rooms --check
[ ! -x "$PX_BUILD/phyxel" ] || tools/list-stats --check

failed=0
for page in *.md docs/*.md; do
    for link in $(grep -o '](\([^)#:]*\)[)#]' "$page" | sed 's/^](//; s/[)#]$//'); do
        if [ ! -e "$(dirname "$page")/$link" ]; then
            echo "$page links to $link, which does not exist"
            failed=1
        fi
    done
done
# files that the glossary names, below src/
for file in $(grep -o '`[a-z0-9_./]*\.[ch]`' docs/glossary.md | tr -d '`'); do
    if [ ! -e "src/$file" ]; then
        echo "docs/glossary.md names src/$file, which does not exist"
        failed=1
    fi
done
exit $failed
