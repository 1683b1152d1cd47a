#!/bin/sh
# Compilers leave loops scalar without a word. Every *.simd.c that takes square
# roots with px_f8_sqrt() must take eight at once in its AVX2 object and four in its base one.
set -u
cd "$PX_SOURCE" || exit 1
failed=0 looked=0
for file in $(find src -name '*.simd.c' | sort); do
    grep -qE "px_f8_sqrt|viscosity/explicit_viscosity.h" "$file" || continue
    base=$PX_BUILD/CMakeFiles/px_base.dir/$file.o
    avx2=$PX_BUILD/CMakeFiles/px_avx2.dir/$file.o
    [ -f "$avx2" ] || continue # not an x86 machine
    looked=1
    "$OBJDUMP" -d "$avx2" | grep -q 'vsqrtps.*%ymm' || {
        echo "$file: no vsqrtps on ymm registers in $avx2"
        failed=1
    }
    "$OBJDUMP" -d "$base" | grep -qw 'sqrtps' || {
        echo "$file: no sqrtps on xmm registers in $base"
        failed=1
    }
done
if [ $looked = 0 ]; then
    echo "no vector loop takes square roots yet"
    exit 77
fi
exit $failed
