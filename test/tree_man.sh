#!/bin/sh
# The manual page is well formed, of this version's commands, and names every
# option that --help names.
# labels: source
set -u
page=$PX_SOURCE/docs/man/phyxel.1
command -v mandoc >/dev/null || {
    echo "no mandoc (tools/install-deps)"
    exit 77
}
mandoc -T lint -W warning "$page" || exit 1

phyxel=$PX_BUILD/phyxel
[ -x "$phyxel" ] || exit 0
text=$(mandoc -T ascii "$page" | sed 's/.\x08//g')
failed=0
view=
[ ! -x "$PX_BUILD/phyxel-view" ] || view=view
for command in '' run branch check info surface foam export render bench scenes schema make 'make colon' 'make cloth' 'make mesh' $view; do
    help=$("$phyxel" $command --help) || {
        echo "phyxel $command --help failed"
        failed=1
        continue
    }
    for option in $(echo "$help" | grep -oE -- '--[a-z][a-z-]*' | sort -u); do
        echo "$text" | grep -qE -- "$option([^a-z-]|\$)" || {
            echo "phyxel $command --help names $option, docs/man/phyxel.1 does not"
            failed=1
        }
    done
done
exit $failed
