#!/bin/sh
# Rules that a search can check: no open TODOs, threads are started in one place, and the library
# never prints, exits, aborts or uses rand().
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

refuse "threads start in px_parallel_for only" "$(grep -rnwE 'pthread_create|thrd_create|threads\.h' \
    src cli viewer 2>/dev/null | grep -vE '^src/base/parallel\.c:|^viewer/(player|record)\.c:')" # the window simulates beside drawing
refuse "OpenMP's loops wait for threads that have no core (src/base/parallel.c)" \
    "$(grep -rnE 'pragma +omp|omp\.h|fopenmp' src cli viewer bench fuzz test CMakeLists.txt 2>/dev/null |
        grep -v '^test/tree_rules.sh:')"

# Columns have no values of the copies of other ranks' rows (src/dist/dist.h); j is a neighbour.
refuse "neighbours are read from arrays that px_dist_refresh() updates, not from columns" \
    "$(grep -rnE '(\<p|particles)->[a-z_]+\[\*?j\]|px_particle_place\([^,]*, \*?j\)|fractions->[a-z]+\[j\]' \
        src/fluid src/thermal src/contact src/coupling)"

# Undefined symbols of the objects are more reliable than a search of the sources.
refuse "the library may not call this" "$("$NM" -A --undefined-only "$PX_BUILD/libphyxel.a" "$PX_BUILD/libpx_study.a" |
    grep -wE 'exit|_exit|_Exit|abort|__assert_fail|printf|__printf_chk|vprintf|puts|putchar|perror|stdout|stderr|rand|srand|random|drand48')"
exit $failed
