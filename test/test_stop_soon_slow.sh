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

# surfaces and pictures
status 0 run $small --set spacing=0.04 --frames 1 -q -o "$work/run"
soon surface surface "$work/run" --cell 0.1 --overwrite
if "$phyxel" render "$work/run" --size 16x16 --samples 1 -q 2>"$work/err"; then
    soon render render "$work/run" --size 2000x2000 --samples 60000
else
    grep -q Embree "$work/err" || fail "$(cat "$work/err")"
fi
exit 0
