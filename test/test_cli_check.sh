#!/bin/sh
# phyxel check lists all errors, each with file, line, column and path.
. "$PX_SOURCE/test/command.sh"
scene=$work/six.json
cat >"$scene" <<'END'
{ "phyxel": 1, "name": "six mistakes",
  "time": {"frames": 10, "fps": 0},
  "spacing": 0.1,
  "gravty": [0, -9.81, 0],
  "materials": {
    "water": {"density": "heavy"}
  },
  "bodies": [
    {"name": "tank", "shape": {"box": [1, 1]}, "wall": true, "inside": true},
    {"name": "block", "shape": {"box": [0.5, 0.5, 0.5]}, "material": "watr"}
  ],
  "events": [
    {"at": 1, "set": "materials.water.viscosty", "to": 2}
  ] }
END
status 2 check "$scene"
[ "$(wc -l <"$work/out")" = 6 ] || fail "not six lines"
said "6 errors, 0 warnings"
complains() { # LINE PLACE WORDS
    grep -q "^$scene:$1:[0-9]*: error: $2: .*$3" "$work/out" || fail "nothing about $2 in line $1"
}
complains 2 time.fps "wanted"
complains 4 gravty "did you mean 'gravity'"
complains 6 materials.water.density "wanted a number"
complains 9 'bodies\[0\].shape.box' "wanted"
complains 10 'bodies\[1\].material' "did you mean 'water'"
complains 13 'events\[0\].set' "did you mean 'viscosity'"

# run refuses the scene with the same messages and writes nothing
cp "$work/out" "$work/before"
status 2 run "$scene" -o "$work/run"
[ ! -s "$work/out" ] || fail "talk on stdout"
head -6 "$work/err" | cmp - "$work/before" || fail "run says something else than check"
said "nothing was run: 6 errors in the scene"
[ ! -e "$work/run" ] || fail "a folder was made"

# as JSON
status 2 check --json "$scene"
[ ! -s "$work/err" ] || fail "talk besides the JSON"
if command -v python3 >/dev/null; then
    python3 - "$work/out" <<'END' || fail "not the JSON that was wanted"
import json, sys
answer = json.load(open(sys.argv[1]))
complaints = answer["complaints"]
assert len(complaints) == 6, len(complaints)
assert all(c["severity"] == "error" and c["line"] > 0 and c["place"] for c in complaints)
assert sorted(c["line"] for c in complaints) == [2, 4, 6, 9, 10, 13]
END
fi

# errors of geometry are reported together with errors of syntax
cat >"$work/mesh.json" <<'END'
{ "phyxel": 1, "spacing": 0.1, "gravty": 1,
  "bodies": [{"name": "rock", "shape": {"mesh": "no.obj"}, "wall": true}] }
END
status 2 check "$work/mesh.json"
said "2 errors, 0 warnings"
grep -q "bodies\[0\].shape.mesh: .*/no.obj: cannot be opened" "$work/out" || fail "no mesh missed"

# a file that is not JSON is one error, with its line
printf '{ "phyxel": 1,\n  "spacing": 0.1,,\n}\n' >"$work/no.json"
status 2 check "$work/no.json"
[ "$(wc -l <"$work/out")" = 1 ] || fail "not one line"
grep -q "^$work/no.json:2:[0-9]*: error: this is not JSON" "$work/out" || fail "no line"
status 2 check /dev/null

# errors of --set show the option instead of a line; defaults of models are named as such
two="$work/two.json"
cat >"$two" <<'END'
{"phyxel": 1, "time": {"frames": 1}, "spacing": 0.1,
 "materials": {"water": {}, "oil": {"viscosity_model": "morris"}},
 "bodies": [{"name": "block", "shape": {"box": [1, 1, 1]}, "material": "water"}]}
END
status 2 check "$two" --set spacing=-1
grep -q "^$two: --set spacing=-1: error: spacing: " "$work/out" || fail "the place of what was set"
grep -q "^$two:2:[0-9]*: error: materials.oil.viscosity_model: is 'morris', but that of 'water' is 'implicit' (the default)" \
    "$work/out" || fail "a default that is not called one"

# a texture of the ground that is missing: only pictures need it
cat >"$work/ground.json" <<'END'
{"phyxel": 1, "spacing": 0.1, "materials": {"water": {"density": 1000}},
 "bodies": [{"shape": {"box": [0.5, 0.5, 0.5]}, "material": "water"}],
 "picture": {"ground_texture": "none.png"}}
END
status 0 check "$work/ground.json"
grep -q "ground.json:3:32: warning: picture.ground_texture: .*none.png: cannot be opened" "$work/out" ||
    fail "no warning of the missing texture"

exit 0
