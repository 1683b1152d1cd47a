#!/bin/sh
# `phyxel view` without a display: pictures by --snapshot, and what it says about wrong calls.
. "$PX_SOURCE/test/command.sh"
unset DISPLAY WAYLAND_DISPLAY
[ -x "$PX_BUILD/phyxel-view" ] || {
    status 1 view scene.json
    said "libgtk-4-dev"
    echo "no window was built"
    exit 77
}
case $PX_SANITIZE in
*thread*)
    echo "software OpenGL has threads that the sanitizer cannot see into"
    exit 77
    ;;
*address*) export ASAN_OPTIONS=detect_leaks=0 ;; # drivers keep theirs
esac
png() { # FILE WIDTH HEIGHT: the header of a picture of that size
    got=$(od -An -tu1 -j16 -N8 "$1" | tr -s ' ')
    [ "$got" = " 0 0 $(($2 / 256)) $(($2 % 256)) 0 0 $(($3 / 256)) $(($3 % 256))" ] ||
        fail "$1 is no picture of $2 by $3: $got"
}

status 0 view --help
grep -q -- --snapshot "$work/out" || fail "no word about --snapshot"
status 1 view
said "there is no display; --snapshot"
status 1 view "$scenes/drop.json"
said "there is no display; --snapshot"
status 2 view "$work/none.json"
said "none.json"
status 2 view "$scenes/drop.json" --set spacing=-1
said "spacing: is -1"
escape=$(printf 'a\033[31m\302\233b')
for words in "$work/$escape.json" "$scenes/drop.json --set $escape" "--camera $escape" "--$escape" "$escape $escape"; do
    "$phyxel" view $words >"$work/out" 2>"$work/err" && fail "phyxel view $words ended with 0"
    ! grep -q "$(printf '\033\|\302\233')" "$work/out" "$work/err" || fail "phyxel view $words lets escapes pass"
done
# the command alone, beside which no window was built
cp "$phyxel" "$work/phyxel"
got=0
"$work/phyxel" view 2>"$work/err" || got=$?
[ $got = 1 ] || fail "without phyxel-view it ended with $got"
said "build it with the command"
status 2 view "$scenes/drop.json" --snapshot "$work/a.png" --after soon
said "wanted a time in seconds"
status 2 view "$scenes/drop.json" --snapshot "$work/a.png" --show moon
said "wanted best, particles or xray"
status 2 view --snapshot "$work/a.png"
said "needs a SCENE"
status 2 view "$scenes/drop.json" --snapshot "$work/a.jpg"
said "ends in .png"
echo rubbish >"$work/rubbish.json"
status 2 view "$work/rubbish.json" --snapshot "$work/a.png"
said "rubbish.json:1:1: error: this is not JSON"
status 2 view "$work/none.json" --snapshot "$work/a.png"
said "none.json"
status 2 view "$scenes/drop.json" --snapshot "$work/a.png" --set spacing=-1
said "drop.json: --set spacing=-1: error: spacing: is -1"
[ ! -e "$work/a.png" ] || fail "a picture of a wrong scene"

set -- $small --set time.frames=3
status 0 view "$@" --snapshot "$work/a.png" --after 0.01s --size 120x90 --colour speed
png "$work/a.png" 120 90
status 1 view "$@" --snapshot "$work/b.png" --size 120x90 --colour sped
said "there is no column 'sped'"
status 0 run "$@" -o "$work/run" --quiet
for show in best particles xray; do
    status 0 view "$work/run" --snapshot "$work/$show.png" --after 1 --size 120x90 --show $show --dark
    png "$work/$show.png" 120 90
done
printf 'NRRD0004\ntype: uchar\ndimension: 3\nsizes: 2 2 2\nencoding: raw\nspacings: 100 100 100\n\nABCDEFGH' >"$work/v.nrrd"
status 0 view "$work/run" --snapshot "$work/over.png" --after 1 --size 120x90 --show xray --over "$work/v.nrrd" --arrows velocity
png "$work/over.png" 120 90
status 0 view "$work/run" --snapshot "$work/bare.png" --after 1 --size 120x90 --show xray
cmp -s "$work/over.png" "$work/bare.png" && fail "a volume absorbs nothing"
status 2 view "$work/run" --snapshot "$work/c.png" --over "$work/run/run.json"
said "run.json"
status 2 view "$work/run" --snapshot "$work/c.png" --arrows heat
said "wanted velocity, stress, walls or none"
if command -v ffmpeg >/dev/null; then
    status 0 view "$work/run" --film "$work/film.mp4" --size 121x91 --camera 1,1,2/0,0.2,0
    [ -s "$work/film.mp4" ] || fail "no film"
    [ "$(ffprobe -v error -count_frames -show_entries stream=width,height,nb_read_frames -of csv=p=0 "$work/film.mp4")" = "120,90,4" ] ||
        fail "the film has not four pictures of 120 by 90"
fi
status 2 view "$work/run" --film "$work/film.doc"
said "ends in .mp4"
status 2 view "$scenes/drop.json" --film "$work/other.mp4"
said "needs a folder"
[ ! -e "$work/other.mp4" ] || fail "a film of nothing"
tidy "$work"
