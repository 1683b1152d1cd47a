#!/bin/sh
# Installs into an empty prefix, moves it, and builds docs/example.c against it in
# the three ways a user may: pkg-config shared, pkg-config static, CMake.
# labels: long
set -eu
. "$PX_SOURCE/test/folder.sh"
"$CMAKE" --install "$PX_BUILD" --prefix "$work/first" >"$work/log" || {
    cat "$work/log"
    exit 1
}
prefix=$work/second
mv "$work/first" "$prefix"

need() {
    [ -e "$1" ] || {
        echo "not installed: ${1#"$prefix"/}"
        (cd "$prefix" && find . -type f)
        exit 1
    }
}
pc=$(find "$prefix" -name phyxel.pc)
need "${pc:-$prefix/lib/pkgconfig/phyxel.pc}"
lib=${pc%/pkgconfig/*}
need "$lib/libphyxel.so"
need "$lib/libphyxel.a"
need "$prefix/share/man/man1/phyxel.1"
# what the README refers to is beside it
readme=$(find "$prefix/share/doc" -name README.md ! -path '*/docs/*')
need "${readme:-$prefix/share/doc/phyxel/README.md}"
grep -o '(docs/[^)#]*' "$PX_SOURCE/README.md" | cut -c2- | sort -u >"$work/pages"
while read -r page; do
    need "${readme%/*}/$page"
done <"$work/pages"
need "$prefix/share/phyxel/phyxel-blender.zip"
for header in "$PX_SOURCE"/include/phyxel/*.h "$PX_BUILD"/include/phyxel/*.h; do
    need "$prefix/include/phyxel/${header##*/}"
done
# Benches serve the command and the tests; the library that users link has none of them.
for library in "$lib/libphyxel.a" "$lib/libphyxel.so"; do
    if "$NM" "$library" 2>/dev/null | grep -q ' px_bench_'; then
        echo "benches are in the installed library: ${library#"$prefix"/}"
        exit 1
    fi
done
"$AR" t "$lib/libphyxel.a" | sort >"$work/objects"
for file in "$PX_SOURCE"/src/study/*.c; do
    if grep -qx "${file##*/}.o" "$work/objects"; then
        echo "${file#"$PX_SOURCE"/} is in the installed static library"
        exit 1
    fi
done
if grep -rlw 'px_bench_run' "$prefix/include" || find "$lib" -name '*study*' | grep .; then
    echo "benches are installed"
    exit 1
fi
if [ -d "$PX_SOURCE/scenes" ]; then
    for scene in "$PX_SOURCE"/scenes/*; do
        need "$prefix/share/phyxel/scenes/${scene##*/}"
    done
fi
if [ -x "$PX_BUILD/phyxel" ]; then
    need "$prefix/bin/phyxel"
    (cd / && "$prefix/bin/phyxel" --version && "$prefix/bin/phyxel" scenes >"$work/scenes" &&
        "$prefix/bin/phyxel" bench | grep -q '^fluid ')
    for scene in "$PX_SOURCE"/scenes/*.json; do
        name=${scene##*/}
        grep -q "${name%.json}" "$work/scenes" || {
            echo "phyxel scenes does not list $name:"
            cat "$work/scenes"
            exit 1
        }
    done
fi

export PKG_CONFIG_PATH="$lib/pkgconfig"
example=$PX_SOURCE/docs/example.c
wanted=$(pkg-config --modversion phyxel)

"$CC" -std=c17 -Wall -Wextra -Werror "$example" $(pkg-config --cflags --libs phyxel) -lm -o "$work/shared"
LD_LIBRARY_PATH=$lib "$work/shared" >"$work/shared.out"
"$OBJDUMP" -p "$work/shared" | grep -q 'NEEDED *libphyxel\.so\.' || {
    echo "the example is not linked with the shared library"
    exit 1
}

"$CC" -std=c17 "$example" $(pkg-config --cflags phyxel) "$lib/libphyxel.a" \
    $(pkg-config --static --libs phyxel | sed 's/-lphyxel//g') -o "$work/static"
"$work/static" >"$work/static.out"
if "$OBJDUMP" -p "$work/static" | grep -q 'NEEDED *libphyxel'; then
    echo "the static example needs the shared library"
    exit 1
fi

mkdir "$work/user"
cat >"$work/user/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(phyxel $wanted REQUIRED)
add_executable(user $example)
target_link_libraries(user PRIVATE phyxel::phyxel m)
END
"$CMAKE" -S "$work/user" -B "$work/user/build" -G Ninja -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 &&
    "$CMAKE" --build "$work/user/build" >>"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
"$work/user/build/user" >"$work/cmake.out"

for way in static cmake; do
    cmp "$work/shared.out" "$work/$way.out" || {
        echo "the example says something else when built the $way way"
        exit 1
    }
done
cat "$work/shared.out"
