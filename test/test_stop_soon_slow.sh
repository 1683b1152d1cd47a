#!/bin/sh
# Ctrl-C is answered within two seconds while one step, surface or picture takes minutes. The step
# is undone, and the run can be resumed. Not under sanitizers: they take longer to begin than it waits.
. "$PX_SOURCE/test/command.sh"

# scene NAME MATERIAL BODIES THINGS: 200 steps of a second, too many to be done in time; 512
# particles at a spacing of 2 cm
scene() {
    cat >"$work/$1.json" <<EOF
{"phyxel": 1, "time": {"frames": 200, "fps": 1}, "spacing": 0.02, "max_step": 1, "courant": 1,
 "materials": {"m": {"density": 1000, $2}},
 "bodies": [{"name": "block", "shape": {"box": [0.16, 0.16, 0.16], "at": [0, 0.2, 0]},
   "material": "m"}${3:-}]${4:-}}
EOF
}

# soon WHAT COMMAND...: the command is at work after a second, and ends soon after Ctrl-C. On a busy
# machine it may have to wait for a core, so there are three tries.
soon() {
    what=$1
    shift
    for try in 1 2 3; do
        got=0
        env --default-signal=INT "$phyxel" "$@" >"$work/out" 2>"$work/err" &
        process=$!
        sleep 1.5
        kill -0 $process 2>/dev/null || fail "$what: was done before it was stopped"
        before=$(date +%s%N)
        kill -INT $process
        tries=0
        while kill -0 $process 2>/dev/null && [ $tries -lt 100 ]; do
            tries=$((tries + 1))
            sleep 0.1
        done
        after=$(date +%s%N)
        kill -KILL $process 2>/dev/null
        wait $process || got=$?
        process=
        late=$(((after - before) / 1000000))
        [ $got = 1 ] && [ $late -lt 2000 ] && return
    done
    fail "$what: exit status $got, wanted 1, after $late ms"
}

# steps WHAT ROWS SPACING: stats.csv has that many rows at most, and the run is resumed
steps() {
    soon "$1" run "$work/$1.json" --overwrite -o "$work/$1" -j 1 --set spacing="${3:-0.02}"
    said "phyxel run: stopped at t = "
    [ "$(wc -l <"$work/$1/stats.csv")" -le "${2:-1}" ] || fail "$1: a step was done"
    soon "$1 resumed" run --resume -o "$work/$1" -j 1
}

scene leapfrog '"young": 1e11'
steps leapfrog
scene implicit '"young": 1e9, "integration": {"model": "implicit", "max_error": 1e-12,
    "max_iterations": 1000000, "max_rounds": 1000}' "" ', "handles": [{"name": "hand",
    "shape": {"box": [0.05, 1, 1], "at": [-0.08, 0, 0]}}]'
steps implicit 999 0.005
tank=', {"name": "tank", "shape": {"box": [0.16, 0.6, 0.16], "at": [0, 0.3, 0]}, "wall": true,
    "inside": true}'
scene pressure '"pressure": {"model": "dfsph", "max_error": 1e-5, "max_iterations": 10000}' "$tank"
steps pressure 999 0.005
scene viscosity '"viscosity": 1e6, "viscosity_model": {"model": "implicit", "error": 1e-9,
    "iterations": 10000}' "$tank"
steps viscosity 999 0.005

# cloth that lies on itself, a heap of rigid bodies, a bar that breaks
cat >"$work/cloth.json" <<EOF
{"phyxel": 1, "time": {"frames": 200, "fps": 1}, "spacing": 0.02,
 "materials": {"m": {"density": 100, "cloth": {"mass": 0.2, "self_collision": true, "thickness": 0.004}}},
 "bodies": [{"name": "ball", "wall": true, "shape": {"sphere": 0.3}},
  {"name": "a", "material": "m", "shape": {"sheet": {"width": 2, "length": 2, "columns": 100, "rows": 100}, "at": [0, 0.32, 0]}},
  {"name": "b", "material": "m", "shape": {"sheet": {"width": 2, "length": 2, "columns": 100, "rows": 100}, "at": [0, 0.34, 0]}}]}
EOF
steps cloth 999
awk 'BEGIN {
    print "{\"phyxel\": 1, \"time\": {\"frames\": 200, \"fps\": 1}, \"spacing\": 0.02, \"max_step\": 1,"
    print "\"materials\": {\"m\": {\"density\": 500}}, \"bodies\": ["
    for (k = 0; k < 720; ++k)
        printf "{\"name\": \"b%d\", \"rigid\": true, \"material\": \"m\", \"velocity\": [0, -3, 0], \"spin\": [1, 2, 3], \"shape\": {\"box\": [0.1, 0.1, 0.1], \"at\": [%g, %g, %g]}},\n", k, k % 9 * 0.101, 0.06 + int(k / 81) * 0.101, int(k / 9) % 9 * 0.101
    print "{\"name\": \"floor\", \"wall\": true, \"shape\": {\"plane\": [0, 1, 0]}}]}"
}' >"$work/rigid.json"
steps rigid 999 # more bodies than stats.csv has columns for
scene fracture '"young": 1e9, "fracture": {"strength": 2e4}' "" ', "handles": [{"name": "l",
    "shape": {"box": [0.05, 1, 1], "at": [-0.08, 0, 0]}, "keyframes": [{"at": 0}, {"at": 1, "move": [-0.3, 0, 0]}]},
    {"name": "r", "shape": {"box": [0.05, 1, 1], "at": [0.08, 0, 0]}, "keyframes": [{"at": 0}, {"at": 1, "move": [0.3, 0, 0]}]}]'
steps fracture 999 0.008

# surfaces and pictures
status 0 run $small --set spacing=0.04 --frames 1 -q -o "$work/run"
soon surface surface "$work/run" --cell 0.1 --overwrite
if "$phyxel" render "$work/run" --size 16x16 --samples 1 -q 2>"$work/err"; then
    soon render render "$work/run" --size 2000x2000 --samples 60000
    if command -v ffmpeg >/dev/null; then
        soon film run $small --frames 1 -o "$work/film" --film --overwrite --size 1600x1200 --samples 60000
    fi
else
    grep -q Embree "$work/err" || fail "$(cat "$work/err")"
fi

# a measurement of a bench
soon bench bench validate
exit 0
