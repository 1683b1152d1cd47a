#!/bin/sh
# phyxel render: pictures, pictures that are kept, refused input, Ctrl-C.
# labels: long threads
. "$PX_SOURCE/test/command.sh"
dir="$work/a run"
status 0 run $small --frames 6 -q -o "$dir"
"$phyxel" render "$dir" --size 64x48 --samples 1 --frame 0 -q 2>"$work/err" || {
    grep -q "without Embree" "$work/err" || fail "no picture"
    echo "built without Embree"
    exit 77
}
status 0 render "$dir" --size 64x48 --samples 1 --first 1 --last 2 -j 2
[ -s "$dir/pictures/000002.png" ] || fail "no picture"
said "2 pictures in"
[ ! -e "$dir/pictures/000003.png" ] || fail "a picture of a frame that was not asked for"

# again: all are kept, bit by bit, and --again draws them to the same bits
cp "$dir/pictures/000002.png" "$work/before.png"
status 0 render "$dir" --size 64x48 --samples 1 --first 1 --last 2 -j 1
said "0 of them drawn now"
status 0 render "$dir" --size 64x48 --samples 1 --first 1 --last 2 -j 3 --again
said "2 of them drawn now"
cmp "$work/before.png" "$dir/pictures/000002.png" || fail "other bits with other threads"

# pictures are denoised unless --grain is given
status 0 render "$dir" --size 64x48 --samples 4 -n 2 -q -o "$work/clean"
status 0 render "$dir" --size 64x48 --samples 4 --frames 2-2 -q -o "$work/grain" --grain
cmp -s "$work/clean/000002.png" "$work/grain/000002.png" && fail "--grain makes no difference"
[ "$(ls "$work/grain")" = 000002.png ] || fail "--frames 2-2 is not one picture"

# exposure may be negative
status 0 render "$dir" --size 64x48 --samples 4 -n 2 -q -o "$work/dark" --exposure -1
cmp -s "$work/clean/000002.png" "$work/dark/000002.png" && fail "--exposure -1 makes no difference"
status 2 render "$dir" --exposure x
said "--exposure wants a number"

# errors are reported before anything is drawn
status 2 render "$dir" --frames two
said "3-9"
status 2 render "$work/nowhere"
said "there is no folder"
status 2 render "$dir" --size 64
said "WIDTHxHEIGHT"
status 2 render "$dir" --camera 1,2/3
said "FROM/TO"
status 2 render "$dir" --colour sped --size 64x48 --samples 1 -q
said "did you mean 'speed'"
status 2 render "$dir" --film "$work/film.avi"
said ".webm"
status 2 render "$dir" --quality best
said "draft, good or final"
status 2 render "$dir" --first 100 --size 64x48
said "no frame from 100"

# a full disk: drawn pictures are kept, the error names the file
(
    ulimit -f 4
    "$phyxel" render "$dir" --size 200x150 --samples 1 -q -o "$work/full" >"$work/out" 2>"$work/err"
) && fail "a file that may not grow was written"
said "cannot write"
tidy "$work/full"

# Ctrl-C, then the same command continues
got=0
env --default-signal=INT "$phyxel" render "$dir" --size 200x150 --samples 8 -o "$work/stopped" \
    >"$work/out" 2>"$work/err" &
process=$!
wait_for "$work/stopped/000001.png"
kill -INT $process
wait $process || got=$?
process=
if [ $got != 0 ]; then
    [ $got = 1 ] || fail "Ctrl-C: exit status $got"
    said "the same command continues"
    tidy "$work/stopped"
    status 0 render "$dir" --size 200x150 --samples 8 -o "$work/stopped"
    [ "$(ls "$work/stopped" | wc -l)" = 7 ] || fail "pictures are missing"
fi

# JSON lines
status 0 render "$dir" --size 64x48 --samples 1 --frame 3 --json --again
grep -q '"event": "picture", "picture": 1, "pictures": 1, "frame": 3' "$work/out" || fail "no event"

# from scene to film
if command -v ffmpeg >/dev/null; then
    status 0 run $small --frames 3 -q -o "$work/film" --film --size 64x48 --samples 1
    [ -s "$work/film/film.mp4" ] || fail "no film"
    tidy "$work/film"

    # the same command goes on, also where only the film is left to be made
    status 0 run $small --frames 1 -q -o "$work/again"
    for frames in 2 3; do
        status 0 run $small --frames $frames -o "$work/again" --film --size 64x48 --samples 1
        said "goes on after frame $((frames - 1)) of $frames"
        cp "$work/again/film.mp4" "$work/film$frames.mp4"
    done
    cmp -s "$work/film2.mp4" "$work/film3.mp4" && fail "the film did not grow"
    rm "$work/again/film.mp4"
    status 0 run $small --frames 3 -q -o "$work/again" --film --size 64x48 --samples 1
    cmp "$work/again/film.mp4" "$work/film3.mp4" || fail "another film"

    # surfaces that some frames lack are made as the others were
    rm -r "$work/again/surface"
    status 0 surface "$work/again" --cell 1 --iso 0.4 --columns density,pressure --frames 1-2 -q
    status 0 render "$work/again" --size 64x48 --samples 1 --film "$work/loop.webp"
    said "2 made, 2 were up to date"
    for frame in 0 3; do
        grep -aq "cell 1, .*iso 0.4, .*columns density,pressure" "$work/again/surface/00000$frame.ply" ||
            fail "a surface with other settings"
    done
    head -c 12 "$work/loop.webp" | grep -q WEBP || fail "no animated WebP"
    status 0 foam "$work/again" -q --amount 2
    rm "$work/again/foam/000002.ply"
    status 0 render "$work/again" --size 64x48 --samples 1
    grep -aq "foam amount 2" "$work/again/foam/000002.ply" || fail "no foam"

    # names are names, whatever ffmpeg takes them for: times, options, addresses
    cd "$work" || exit 1
    status 0 run $small --frames 1 -q -o "$work/quick" --preview --size 64x48 --samples 1
    test -s "$work/quick/film.mp4" || fail "--preview made no film"
    grep -q "spacing" "$work/quick/run.json" || fail "no run"
    status 2 run --resume -o "$work/quick" --preview -q
    status 0 run $small --frames 1 -q -o 2026-11-16T17:05 --film --size 64x48 --samples 1
    [ -s 2026-11-16T17:05/film.mp4 ] || fail "no film in a folder that is named by the time"
    mkdir -- -y http:
    for name in -y/a.mp4 -b%03d.gif http:/a:b.webm "pipe:1.mp4" "c d'e|f.mp4"; do
        status 0 render film --size 64x48 --samples 1 -q "--film=$name"
        [ -s "./$name" ] || fail "no film '$name'"
    done
    status 1 render film --size 64x48 --samples 1 -q --film http://127.0.0.1:9/a.mp4
    said "http://127.0.0.1:9"
    tidy .

    # what ffmpeg cannot encode is known before the run
    status 1 run $small --frames 1 -q -o tiny --film --size 1x1 --samples 1
    said "film.mp4: ffmpeg could not make it"
    [ ! -e tiny ] || fail "a run was begun whose film cannot be made"
    status 2 render film --size 64x48 --film a.mp4 --fps 1e-300
    said "the film's fps is 1e-300"
else
    status 1 run $small --frames 3 -q -o "$work/film" --film --size 64x48 --samples 1
    said "apt-get install ffmpeg"
    [ ! -e "$work/film" ] || fail "a run was begun whose film cannot be made"
fi
