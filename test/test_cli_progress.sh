#!/bin/sh
# Progress of a run: a bar on a terminal, lines elsewhere, JSON with --json; closed and broken
# streams.
. "$PX_SOURCE/test/command.sh"
escape=$(printf '\033')

# no terminal: plain lines on stderr, nothing on stdout
status 0 run $small --frames 8 -o "$work/plain"
[ ! -s "$work/out" ] || fail "talk on stdout"
grep -q "^frame 0/8  t = 0 s" "$work/err" || fail "no first line"
grep -q "^frame 8/8  t = 0.06667 s" "$work/err" || fail "no last line"
said "8 frames in $work/plain"
tail -c 1 "$work/err" | od -c | grep -q '\\n' || fail "the last line has no end"
! grep -q "[$escape$(printf '\r')]" "$work/err" || fail "escape codes where there is no terminal"

status 0 run $small --frames 2 -q -o "$work/quiet"
[ ! -s "$work/out" ] && [ ! -s "$work/err" ] || fail "not quiet"

# JSON: stdout holds lines of it and nothing else
status 0 run $small --frames 8 --json -o "$work/json"
! grep -q "[$escape]" "$work/out" "$work/err" || fail "escape codes where there is no terminal"
[ "$(wc -l <"$work/out")" = 10 ] || fail "not a line a frame, one for the start and one for the end"
if command -v python3 >/dev/null; then
    python3 - "$work/out" <<'END' || fail "not the JSON that was wanted"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
frames, end = lines[:-1], lines[-1]
assert [f["frame"] for f in frames] == list(range(9))
assert all(f["event"] == "frame" and f["frames"] == 8 for f in frames)
assert all(f["left"] is None or f["left"] >= 0 for f in frames)
assert all(a["time"] < b["time"] and a["step"] < b["step"] for a, b in zip(frames, frames[1:]))
assert end["event"] == "done" and end["complete"] is True and end["frames"] == 8
assert end["leaked"] == 0
END
    status 1 run $small --frames 8 --json -o /dev/null/no
    python3 - "$work/out" <<'END' || fail "not the JSON that was wanted"
import json, sys
end = json.loads(open(sys.argv[1]).read())
assert end["event"] == "failed" and end["reason"] == "io" and "/dev/null/no" in end["message"]
END
    # any bytes in a path give valid JSON
    touch "$work/latin"
    odd=$(printf 'caf\351 \342\202\254 \300\200 \355\240\200 \364\220\200\200 \360\237\230\200 "\\')
    status 1 run $small --json -o "$work/latin/$odd"
    python3 - "$work/out" <<'END' || fail "not the JSON that was wanted"
import json, sys
message = json.loads(open(sys.argv[1], "rb").read().decode("utf-8"))["message"]
bad = "\ufffd"
wanted = f'caf{bad} \u20ac {bad*2} {bad*3} {bad*4} \U0001f600 "\\'
assert wanted in message, (message, wanted)
END
else
    echo "no python3: the JSON is not parsed"
fi

# a terminal: a bar that is redrawn in place, then a summary
pty() { # COMMAND...: in a terminal of 100 columns; what it shows is in $work/shown
    got=0
    if command -v script >/dev/null; then
        script -qec "stty cols 100; $*" /dev/null >"$work/shown" </dev/null || got=$?
    else
        python3 -c 'import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(["sh", "-c", "stty cols 100; " + sys.argv[1]])))' \
            "$*" >"$work/shown" </dev/null || got=$?
    fi
}
got=1
! { command -v script || command -v python3; } >/dev/null || pty true 2>/dev/null
if [ $got = 0 ]; then
    pty "'$phyxel' run $small --frames 8 -o '$work/bar'"
    [ $got = 0 ] || fail "on a terminal: exit status $got"
    tr '\r' '\n' <"$work/shown" >"$work/out"
    grep -q '^\[\.*\]   0 %  frame 0/8  240 particles' "$work/out" || fail "no empty bar"
    grep -q '^\[#*\] 100 %  frame 8/8  240 particles' "$work/out" || fail "no full bar"
    grep -q "8 frames in $work/bar" "$work/out" || fail "no last words"
    bar=$(grep '^\[#*\] 100 %' "$work/out" | sed "s/$escape.*//")
    [ ${#bar} -le 100 ] && [ ${#bar} -ge 95 ] || fail "the bar is ${#bar} wide, the terminal 100"
    # redirected output has no escape codes
    pty "'$phyxel' run $small --frames 2 -o '$work/redirected' 2>'$work/err'"
    ! grep -q "$escape" "$work/err" || fail "escape codes in a file"
    same "$work/bar" "$work/plain"
else
    echo "no script, no python3 or no pseudo-terminals: nowhere to try the bar"
fi

# broken pipe: the run continues
same "$work/plain" "$work/json"
"$phyxel" run $small --frames 8 --json -o "$work/head" 2>"$work/err" | head -1 >/dev/null
same "$work/plain" "$work/head"
# closed streams: messages must not be written into files of the run
got=0
"$phyxel" run $small --frames 8 -o "$work/closed" <&- >&- 2>&- || got=$?
[ $got = 0 ] || fail "with closed streams: exit status $got"
same "$work/plain" "$work/closed"
got=0
"$phyxel" run $small --frames 8 --json -o "$work/closed json" <&- >&- 2>"$work/err" || got=$?
[ $got = 1 ] || fail "JSON to a closed stream: exit status $got, wanted 1"
said "not all of the output could be written"
same "$work/plain" "$work/closed json"
exit 0
