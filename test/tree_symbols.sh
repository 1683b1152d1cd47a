#!/bin/sh
# The shared library exports what the public headers declare, and nothing else.
set -eu
export LC_ALL=C
. "$PX_SOURCE/test/folder.sh"

"$NM" -D --defined-only "$PX_BUILD/libphyxel.so" | awk '{ print $3 }' | sort >"$work/exported"
cat "$PX_SOURCE"/include/phyxel/*.h "$PX_BUILD"/include/phyxel/version.h | sed 's,//.*,,; /^#/d' | tr '\n' ' ' |
    grep -o 'PX_API [^;]*;' | sed 's/(.*//' | grep -o 'px_[a-z0-9_]*$' | sort >"$work/declared"

soname=$("$OBJDUMP" -p "$PX_BUILD/libphyxel.so" | awk '$1 == "SONAME" { print $2 }')
case $soname in
libphyxel.so.[0-9]*) ;;
*)
    echo "the soname is '$soname', wanted libphyxel.so.NUMBER"
    exit 1
    ;;
esac
readelf -d "$PX_BUILD/libphyxel.so" | grep -q NODELETE || {
    echo "dlclose() would unmap the library under its sleeping threads: link it with -z nodelete"
    exit 1
}
extra=$(comm -13 "$work/declared" "$work/exported")
missing=$(comm -23 "$work/declared" "$work/exported")
if [ -n "$extra" ]; then
    printf 'exported, but not declared with PX_API:\n%s\n' "$extra"
    exit 1
fi
if [ -n "$missing" ]; then
    printf 'declared with PX_API, but not in the library:\n%s\n' "$missing"
    exit 1
fi
echo "$(wc -l <"$work/exported") functions, $soname"
