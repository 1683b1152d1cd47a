#!/bin/sh
# Every header compiles alone: the public ones as strict C17 and as C++, those of
# the rooms as the library is compiled; and phyxel.h includes all public ones.
# labels: long
set -u
cd "$PX_SOURCE" || exit 1
includes="-Iinclude -I$PX_BUILD/include"
failed=0

compile() { # COMPILER LANGUAGE HEADER OPTIONS...
    compiler=$1 language=$2 header=$3
    shift 3
    # through stdin: gcc treats a header given as the main file differently
    printf '#include "%s"\nextern int alone;\n' "$header" |
        "$compiler" -x "$language" -fsyntax-only -Wall -Wextra -Werror $includes "$@" - || {
        echo "$header does not compile alone: $compiler $*"
        failed=1
    }
}

gxx=$(command -v g++ || command -v clang++-14) || echo "no C++ compiler: C++ is not checked"
for header in include/phyxel/*.h "$PX_BUILD"/include/phyxel/*.h; do
    name=phyxel/${header##*/}
    compile "$CC" c "$name" -std=c17 -pedantic-errors
    [ -n "$gxx" ] && compile "$gxx" c++ "$name" -std=c++11 -pedantic-errors
    if [ "$name" != phyxel/phyxel.h ] && ! grep -q "\"$name\"" include/phyxel/phyxel.h; then
        echo "include/phyxel/phyxel.h does not include $name"
        failed=1
    fi
done

libraries=$(pkg-config --cflags jansson hdf5-serial zlib libxxhash)
for header in $(find src -name '*.h' | sort); do
    compile "$CC" c "${header#src/}" -std=gnu17 -Isrc -DPX_ISA=base -Wno-psabi -Wno-unused-function $libraries
done
exit $failed
