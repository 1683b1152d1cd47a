#!/bin/sh
# The surface tension benchmark with few particles: its files, continuing after a stop, and running
# without gnuplot.
. "$PX_SOURCE/test/command.sh"

bench() { # ARGUMENTS...
    status 0 bench tension -j 1 --scale 0.004 --seconds 0.003 -o "$work/b" "$@"
}
plain() { # ARGUMENTS...: the same where there is no gnuplot, which takes most of the time
    PATH=$work bench "$@"
}
rows() { # COUNT: runs in the summary
    got=$(($(wc -l <"$work/b/summary.csv") - 1))
    [ $got = "$1" ] || fail "$got runs in summary.csv, wanted $1"
}

# all of 004 section 6.6 with dfsph and csf: 4 x 5 x 5, 2 x 5 x 2, 1 x 5 x 1
bench
rows 125
for file in aggregate.csv index.md plots/aggregate-1.gp plots/speed-2.gp plots/slices-3-iisph.gp \
    runs/1-iisph-akinci-0.2.csv runs/2-sesph-he-1.8.csv runs/3-iisph-becker-cut-0.08-slice.csv; do
    [ -s "$work/b/$file" ] || fail "there is no $file"
done
[ "$(wc -l <"$work/b/runs/1-iisph-akinci-0.2.csv")" = 4 ] || fail "not 3 steps of 1 ms"
for words in "Test 1" "Test 2" "Test 3" "runs/1-iisph-akinci-0.2.csv"; do
    grep -qF "$words" "$work/b/index.md" || fail "index.md lacks $words"
done
tidy "$work/b"
if command -v gnuplot >/dev/null; then
    for gp in "$work"/b/plots/*.gp; do
        [ -s "${gp%.gp}.png" ] || fail "gnuplot did not draw $gp"
        grep -qF "plots/$(basename "${gp%.gp}").png" "$work/b/index.md" || fail "no link to $gp"
    done
fi

# complete runs are not repeated; other coefficients and lengths are run
said "runs: 125, complete: 0;"
sum=$(sed 1d "$work/b/summary.csv" | cksum)
plain
said "runs: 125, complete: 125;"
[ "$(sed 1d "$work/b/summary.csv" | cksum)" = "$sum" ] || fail "the summary has changed"
rm "$work/b/runs/1-iisph-he-0.6.csv"
plain --test 1 --pressure iisph --tension he --strength 0.3,all
said "runs: 6, complete: 4;"
rows 126
plain --test 1 --pressure iisph --tension he --strength low --seconds 0.004
said "runs: 1, complete: 0;"
rows 126

# without gnuplot there are no pictures, and it says so
grep -q "gnuplot is missing" "$work/out" || fail "not a word about gnuplot"
grep -q "gnuplot was missing" "$work/b/index.md" || fail "not a word about gnuplot on the page"
! grep -q '\.png' "$work/b/index.md" || fail "links to pictures that are not there"
[ -s "$work/b/plots/speed-1.gp" ] || fail "no script to draw them later"

# stopped: complete runs are kept
"$phyxel" bench tension -j 1 --test 1 --scale 0.02 --seconds 0.1 -o "$work/d" >"$work/out" \
    2>"$work/err" &
process=$!
wait_for "$work/d/summary.csv"
kill -TERM $process
got=0
wait $process || got=$?
process=
[ $got = 1 ] || fail "exit status $got after an interrupt, wanted 1"
said "are not repeated"
[ -s "$work/d/index.md" ] || fail "no page after an interrupt"
tidy "$work/d"

# a folder with other contents is refused
mkdir "$work/e"
echo "a,b" >"$work/e/summary.csv"
status 1 bench tension -j 1 --scale 0.004 --seconds 0.003 -o "$work/e"
said "has other columns"
exit 0
