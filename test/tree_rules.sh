#!/bin/sh
# Rules that a search can hold: nothing left to do, OpenMP in two places, and a
# library that never prints, exits, aborts or draws lots.
set -u
cd "$PX_SOURCE" || exit 1
failed=0
refuse() { # WHY FOUND
    if [ -n "$2" ]; then
        printf '%s:\n%s\n' "$1" "$2"
        failed=1
    fi
}

# this script names the words it looks for
refuse "left to do" "$(grep -rnwE 'TODO|FIXME|XXX' cli bench docs fuzz/*.c include src test tools \
    viewer CMakeLists.txt Makefile README.md CONTRIBUTING.md CHANGELOG.md 2>/dev/null |
    grep -v '^test/tree_rules.sh:')"

# Threads start in one place. What may come in any order is merged under a named
# lock, and only by functions that a px_parallel_for calls: exact sums, bounds.
refuse "threads start in px_parallel_for only" "$(grep -rnE 'pragma +omp|omp\.h|pthread_create' \
    src cli viewer 2>/dev/null |
    grep -vE 'omp +(simd|critical)' | grep -v '^src/base/parallel\.c:')"

# What the objects ask of libc tells more than the sources do.
refuse "the library may not call this" "$("$NM" -A --undefined-only "$PX_BUILD/libphyxel.a" |
    grep -wE 'exit|_exit|_Exit|abort|__assert_fail|printf|__printf_chk|vprintf|puts|putchar|perror|stdout|stderr|rand|srand|random|drand48')"
exit $failed
