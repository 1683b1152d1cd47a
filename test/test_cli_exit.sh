#!/bin/sh
# Exit status: 0 done, 1 the run failed, 2 the call or the scene is wrong. Messages say what is
# wrong and what to do. Messages go to stderr, data to stdout.
. "$PX_SOURCE/test/command.sh"

quiet() { # nothing on stdout
    [ ! -s "$work/out" ] || fail "talk on stdout"
}
data() { # something on stdout, nothing on stderr
    [ -s "$work/out" ] || fail "no data on stdout"
    [ ! -s "$work/err" ] || fail "talk about nothing"
}
wrong() { # WORDS ARGUMENTS...: the call is wrong
    words=$1
    shift
    status 2 "$@"
    quiet
    said "$words"
}

# no command, help, unknown commands
wrong "usage: phyxel COMMAND"
for word in --help -h help --version; do
    status 0 $word
    data
done
wrong "unknown command 'rnu', did you mean 'run'?" rnu
wrong "unknown command 'xyzzyplugh'" xyzzyplugh
wrong "unknown option '--vresion', did you mean '--version'?" --vresion
wrong "unknown command ''" ""

for command in run check info surface export bench scenes schema; do
    status 0 $command --help
    data
    grep -q "^usage: phyxel $command" "$work/out" || fail "no usage"
    wrong "unknown option '--hlep', did you mean --help?" $command --hlep
    wrong "unknown option '-%'" $command -%
    wrong "one word too many" $command a b c
done

# each command: no arguments, a missing file, a misspelt option, a value of the wrong type
wrong "SCENE is missing" run
wrong "SCENE is missing" run --resume
wrong "no.json: cannot be opened: No such file" run "$work/no.json"
wrong "Is a directory" run "$scenes"
wrong "did you mean --frames?" run "$scenes/drop.json" --farmes 3
wrong "a value is missing after --frames" run "$scenes/drop.json" --frames
wrong "--frames wants a whole number" run "$scenes/drop.json" --frames many
wrong "--frames wants a whole number" run "$scenes/drop.json" --frames -1
wrong "--frames wants a whole number" run "$scenes/drop.json" --frames 99999999999
wrong "time.frames: is 2000000000, wanted" run "$scenes/drop.json" --frames 2000000000
wrong "threads wants a whole number from 0 to 256" run "$scenes/drop.json" -j 1000 -o "$work/no"
wrong "-o wants a folder" run "$scenes/drop.json" -o ""
wrong "--set wants PATH=VALUE, got 'rubbish'" run "$scenes/drop.json" --set rubbish
wrong "did you mean 'spacing'?" run "$scenes/drop.json" --set spacig=1
wrong "spacing: is -1, wanted" run "$scenes/drop.json" --set spacing=-1
said "nothing was run: 1 error in the scene"
wrong "cannot be resumed without a SCENE" run --resume -o "$work/no"
wrong "--set changes a SCENE" run --resume -o "$work/no" --set spacing=1
wrong "either resume or overwrite" run "$scenes/drop.json" --resume --overwrite -o "$work/no"
wrong "this option takes no value" run "$scenes/drop.json" --resume=yes

wrong "SCENE is missing" check
wrong "no.json: cannot be opened: No such file" check "$work/no.json"
wrong "--set wants PATH=VALUE" check "$scenes/drop.json" --set rubbish
wrong "there is no body 'nobody'" check "$scenes/drop.json" --set bodies.nobody.friction=1
wrong "'phyxel scenes' lists the scenes that come along" check drop
status 0 check "$scenes/drop.json"
data
grep -q "drop.json: good" "$work/out" || fail "not good"

status 0 info
data
wrong "wants a DIR" info --plot
wrong "wants a DIR" info --hash
wrong "there is no folder" info "$work/no"
wrong "there is no folder" info "$scenes/drop.json"
wrong "holds no frames" info "$scenes"

wrong "DIR is missing" export
wrong "to which format? --to vtp, ply" export "$work"
wrong "there is no folder" export "$work/no"
wrong "has no frames" export "$work" --to ply

status 0 bench
data
wrong "did you mean 'neighbours'?" bench nieghbours
wrong "wanted one of fluid, neighbours" bench speed
wrong "has no options" bench fluid -o "$work/no"
wrong "wanted some of jet" bench cloth-fluid --test dam
wrong "wanted some of heap" bench contact --test dam
wrong "has no options --pressure" bench cloth-fluid --pressure dfsph
wrong "--seconds wants a positive number" bench tension --seconds -1
wrong "--seconds wants a positive number" bench tension --seconds nan
wrong "--scale wants a positive number" bench tension --scale big
wrong "--test '4', wanted some of 1 (drop formation), 2 (liquid crown), 3 (water glass)" bench tension --test 1,4 -o "$work/no"
wrong "--test is empty" bench tension --test "" -o "$work/no"
wrong "did you mean 'akinci'?" bench tension --tension he,akinki -o "$work/no"
wrong "wanted some of dfsph, iisph" bench tension --pressure wcsph -o "$work/no"
wrong "wanted low, middle, high, all or a number" bench tension --strength strong -o "$work/no"
[ ! -e "$work/no" ] || fail "a wrong call made a folder"

status 0 scenes
grep -q "^dam-break " "$work/out" || fail "no dam-break"
status 0 scenes dam-break
data
[ -e "$(cat "$work/out")" ] || fail "there is no such file"
wrong "did you mean 'dam-break'?" scenes dam-brake

status 0 make --help
data
wrong "usage: phyxel make WHAT" make
wrong "'colno' is unknown" make colno
status 0 make colon --seed 5 --triangles 2000 -o "$work/colon.ply"
data
[ -s "$work/colon.ply" ] || fail "no colon"
wrong "triangles, must be 500" make colon --triangles 5 -o "$work/no.ply"
wrong "written as .obj, .ply or .stl" make colon -o "$work/no.txt"
status 0 make cloth --size 2x1 --resolution 20 --pattern irregular -o "$work/cloth.obj"
data
grep -q '"cells": \[20, 10\]' "$work/out" || fail "cloth has other cells"
grep -q "^vt " "$work/cloth.obj" || fail "cloth has no texture coordinates"
wrong "is not like 1x2" make cloth --size 2x -o "$work/no.obj"
wrong "is not like 1x2" make cloth --size 0x1 -o "$work/no.obj"
wrong "is not like 40" make cloth --resolution 4.5 -o "$work/no.obj"
wrong "is none of regular" make cloth --pattern plaid -o "$work/no.obj"
wrong "exclude each other" make cloth --resolution 4 --triangles 90 -o "$work/no.obj"
wrong "VOLUME is missing" make mesh
(
    mkdir "$work/empty" && cd "$work/empty" || exit 1
    for what in colon cloth walker; do
        wrong "give the file to write" make $what
    done
    wrong "give the file to write" make mesh "$work/colon.ply" --at 1
    [ -z "$(ls -A)" ] || fail "make without -o wrote a file"
) || exit 1
status 0 make walker -o "$work/figure.obj" --triangles 1000 --seconds 0.5
[ -s "$work/figure.pc2" ] || fail "the poses are not beside the figure"
wrong "give the isovalue" make mesh "$work/colon.ply"
wrong "is not like" make mesh "$work/colon.ply" --at 1 --raw 3x3:int16
status 1 make mesh "$work/colon.ply" --at 1 -o "$work/no.ply"
[ ! -e "$work/no.ply" ] || fail "a failed call made a mesh"

status 0 schema
data
wrong "one word too many" schema x

# a run, and info about it
status 0 run $small --frames 3 -o "$work/a b"
quiet
status 0 info "$work/a b"
data
grep -q "the last one is 3 of 3" "$work/out" || fail "not 3 of 3"
status 0 info "$work/a b" --hash
data
[ "$(wc -l <"$work/out")" = 4 ] || fail "not 4 hashes"
wrong "there is no format 'plx', wanted one of vtp, ply" export "$work/a b" --to plx
wrong "has no frame from 9 on, 3 is the last" export "$work/a b" --to ply --first 9
wrong "has no frame from 7 to 8" export "$work/a b" --to ply --first 7 --last 8
for format in vtp ply obj pov csv; do
    status 0 export "$work/a b" --to $format
    quiet
    [ "$(find "$work/a b/$format" -name "00000?.*" | wc -l)" = 4 ] || fail "not 4 files"
done
wrong "one of --particles, --surface, --surfels, --skin, --skin-surfels, --coat, --contact, --foam and --walls" export "$work/a b" --to ply --surface --surfels
wrong "run 'phyxel surface $work/a b' first" export "$work/a b" --to ply --surface
wrong "run 'phyxel surface $work/a b' first" export "$work/a b" --to stl
wrong "there are no skins in" export "$work/a b" --to ply --skin
wrong "stl holds triangles alone" export "$work/a b" --to stl --particles
wrong "not for particles" export "$work/a b" --to ply --material water
wrong "did you mean 'density'?" export "$work/a b" --to ply --columns denisty
wrong "--up wants y or z" export "$work/a b" --to ply --up x
for frames in "" x 3-2 - 1-2-3 -1- 99999999999; do
    wrong "--frames wants 7, 3-9, 3- or -9" export "$work/a b" --to ply --frames "$frames"
done
wrong "either --frames or --first" export "$work/a b" --to ply --frames 3 --first 2
for frames in 2:1 1-2:2 2-:2 -1:2; do
    status 0 export "$work/a b" --to obj --frames ${frames%:*} -o "$work/part"
    [ "$(ls "$work/part" | wc -l)" = ${frames#*:} ] || fail "--frames $frames: wrong files"
    rm -r "$work/part"
done

# a full disk: files are complete or missing
(
    ulimit -f 16 # of 512 bytes: of 240 particles two frames fit and a third does not
    status 1 export "$work/a b" --to pc2 -o "$work/full" --columns id
    said "cannot write"
    tidy "$work/full"
    [ "$(wc -c <"$work/full/frames.pc2")" = $((32 + 2 * 240 * 12)) ] || fail "not two whole frames"
    status 1 export "$work/a b" --to ply -o "$work/full2"
    said "cannot write"
    [ -z "$(ls -A "$work/full2")" ] || fail "half a file was left"
) || exit 1
wrong "spacing is 0.1 there and 0.12 here" run $small --set spacing=0.12 --frames 3 -o "$work/a b"
said "--overwrite and -o DIR"
wrong "spacing is 0.1 there and 0.12 here" run $small --set spacing=0.12 --resume -o "$work/a b"

# a folder without write permission: the run fails, and there is nothing to resume
touch "$work/file"
for out in "$work/file" "$work/file/below" /proc/phyxel /dev/null/phyxel; do
    status 1 run $small --frames 1 -o "$out"
    quiet
    said "cannot make the folder '$out"
    ! grep -q "to go on" "$work/err" || fail "advice that cannot be followed"
    status 1 export "$work/a b" --to ply -o "$out"
    said "cannot make the folder '$out"
done
if [ "$(id -u)" != 0 ]; then
    mkdir -m 555 "$work/locked"
    status 1 run $small --frames 1 -o "$work/locked"
    said "Permission denied"
fi

# output that cannot be written is a failure, for every command
if [ -w /dev/full ]; then
    for call in schema scenes info "info '$work/a b' --hash" "check $scenes/drop.json" \
        "run $small --frames 1 --json -o $work/full" --help; do
        got=0
        eval "\"\$phyxel\" $call" >/dev/full 2>"$work/err" || got=$?
        [ $got = 1 ] || fail "phyxel $call >/dev/full: exit status $got, wanted 1"
        said "not all of the output could be written"
    done
fi
exit 0
