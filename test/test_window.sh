#!/bin/sh
# The window as a person uses it, under Xvfb: start, play, turn, drag, x-ray, picture, undo, close;
# a scene with mistakes; an empty window.
# labels: long
. "$PX_SOURCE/test/command.sh"
[ -x "$PX_BUILD/phyxel-view" ] || {
    echo "no window was built"
    exit 77
}
[ -z "$PX_SANITIZE" ] || {
    echo "GTK and drivers keep memory and start threads: not with sanitizers"
    exit 77
}
for tool in Xvfb xdotool; do
    command -v $tool >/dev/null || {
        echo "no $tool (tools/install-deps)"
        exit 77
    }
done
# -noreset: else the server starts anew when its last client leaves, and refuses clients meanwhile
Xvfb -noreset -displayfd 3 -screen 0 1200x800x24 3>"$work/display" 2>/dev/null &
server=$!
process=$server # ends with the test
wait_some() { # FILE: until it has text
    tries=0
    until [ -s "$1" ]; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || fail "$1 stays empty"
        sleep 0.1
    done
}
wait_some "$work/display"
DISPLAY=:$(cat "$work/display")
export DISPLAY LIBGL_ALWAYS_SOFTWARE=1 XDG_CONFIG_HOME="$work/config" GTK_A11Y=none
unset WAYLAND_DISPLAY
cat >"$work/jelly.json" <<'END'
{"phyxel": 1, "time": {"frames": 400, "fps": 30}, "spacing": 0.08,
 "materials": {"jelly": {"density": 1000, "young": 2e4, "damping": 8}, "wood": {"density": 600}},
 "bodies": [{"name": "floor", "shape": {"plane": [0, 1, 0]}, "wall": true},
  {"name": "cube", "shape": {"box": [0.5, 0.5, 0.5], "at": [0, 0.25, 0]}, "material": "jelly", "skin": true}],
 "camera": {"from": [0, 0.3, 2.4], "to": [0, 0.3, 0], "fov": 40}}
END
start() { # ARGUMENTS: the window's number in $window, its process in $view
    (cd "$work" && exec "$phyxel" view "$@" --threads 1) >"$work/out" 2>"$work/err" &
    view=$!
    tries=0
    until window=$(xdotool search --onlyvisible --name phyxel 2>/dev/null | head -1) && [ -n "$window" ]; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || fail "no window appears"
        kill -0 $view 2>/dev/null || fail "the window is gone"
        sleep 0.1
    done
    sleep 1
    xdotool windowfocus "$window" 2>/dev/null
}
picture() { # NAME: presses F12 and waits for the picture
    xdotool key F12
    tries=0
    until set -- "$1" "$work"/phyxel-*.png && [ -e "$2" ]; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || fail "F12 makes no picture"
        sleep 0.1
    done
    mv "$2" "$work/$1.png"
}
differ() { # two pictures must
    if cmp -s "$work/$1.png" "$work/$2.png"; then
        fail "$3 changes nothing"
    fi
}
finish() { # closes the window; it must end well and without GTK's complaints
    xdotool key ctrl+q
    wait $view || fail "the window ended with $?"
    if grep -E 'CRITICAL|ERROR' "$work/err"; then
        fail "GTK complains"
    fi
}

start jelly.json
picture first
xdotool key Left
picture turned
differ first turned "the arrow key"
xdotool key Right key x key x
picture xray
differ first xray "x-ray"
xdotool key x
sleep 0.3
picture again
cmp "$work/first.png" "$work/again.png" || fail "the same view is another picture"
xdotool key period key period
sleep 1
picture steps
differ first steps "stepping"
# drag the jelly: it is in the middle of the picture
xdotool key 2 key space
xdotool mousemove 430 420 mousedown 1
for k in 1 2 3 4 5 6 7 8; do
    xdotool mousemove_relative -- 0 -12
    sleep 0.1
done
sleep 1
xdotool mouseup 1 key space
sleep 0.5
picture dragged
differ steps dragged "dragging"
xdotool key ctrl+z
sleep 1
picture undone
differ dragged undone "undo"
# a box is placed on the middle of the picture by keyboard, and taken back
xdotool key Home
sleep 1
picture home
xdotool key 7 key e
sleep 2
picture placed
differ home placed "placing a body"
xdotool key ctrl+z
sleep 2
picture unplaced
cmp "$work/home.png" "$work/unplaced.png" || fail "undo of a placed body leaves something"
# the brush pushes it, by keyboard
xdotool key 5 key e key period key period
sleep 2
xdotool key e
picture pushed
xdotool key Home key period key period
sleep 2
picture unpushed
differ pushed unpushed "pushing"
xdotool key 1 key F1
sleep 0.5
xdotool search --name 'Keys and mouse' >/dev/null || fail "F1 shows nothing"
xdotool key Escape
sleep 0.5
xdotool windowfocus "$window" 2>/dev/null
finish
[ -s "$work/config/phyxel/view.ini" ] || fail "the size is not remembered"

# a scene with a mistake is shown with it, and the window goes on
sed 's/"young"/"yuong"/' "$work/jelly.json" >"$work/wrong.json"
start wrong.json
kill -0 $view || fail "a wrong scene ends the window"
finish
start
finish
