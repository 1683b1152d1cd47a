#!/bin/sh
# tools/install-deps on a mock machine: stand-ins for dpkg-query, apt-get, apt-cache, sudo and id
# record their calls.
# labels: source
set -eu
. "$PX_SOURCE/test/folder.sh"
bin=$work/bin
mkdir "$bin"
for tool in sh env cat sed grep touch; do
    ln -s "$(command -v $tool)" "$bin/$tool"
done
# have/NAME: installed; known/NAME: in the package lists; offered/NAME: in the archive
mkdir "$work/have" "$work/known" "$work/offered"

put() { # NAME, body on stdin
    { echo "#!$(command -v sh)" && echo "machine=$work" && cat; } >"$bin/$1"
    chmod +x "$bin/$1"
}
put dpkg-query <<'END'
for last; do :; done
[ -e "$machine/have/$last" ] && echo installed
END
put apt-cache <<'END'
[ -e "$machine/known/$2" ]
END
put apt-get <<'END'
echo "$* [$DEBIAN_FRONTEND]" >>"$machine/calls"
case $1 in
update)
    for package in "$machine"/offered/*; do touch "$machine/known/${package##*/}"; done
    ;;
install)
    for package; do
        case $package in
        install | -*) continue ;;
        esac
        [ -e "$machine/known/$package" ] && [ ! -e "$machine/stale" ] || exit 100
        touch "$machine/have/$package"
    done
    ;;
esac
END
put id <<'END'
cat "$machine/uid"
END
put sudo <<'END'
echo "sudo" >>"$machine/calls"
exec "$@"
END

fail() {
    echo "$*"
    cat "$work/calls" "$work/out"
    exit 1
}
run() { # wanted status, arguments
    wanted=$1
    shift
    : >"$work/calls"
    status=0
    PATH=$bin sh "$PX_SOURCE/tools/install-deps" "$@" >"$work/out" 2>&1 || status=$?
    [ $status = "$wanted" ] || fail "install-deps $*: exit status $status, wanted $wanted"
}
calls() {
    [ "$(sed 's/ .*//' "$work/calls" | tr '\n' ' ')" = "$1" ] || fail "wanted calls: $1"
}

# a fresh machine: everything is missing, nothing is known
echo 0 >"$work/uid"
run 1 --check
packages=$(cat "$work/out")
calls ""
for package in $packages; do
    : >"$work/offered/$package"
done
run 0
calls "update install "
grep -q 'install -y .*\[noninteractive\]' "$work/calls" || fail "not noninteractive"

# again: nothing to do, no output
run 0
calls ""
[ ! -s "$work/out" ] || fail "talk about nothing"
run 0 --check

# one is missing: only it is installed, without updating the package lists; sudo when not root
rm "$work/have/cmake"
echo 1000 >"$work/uid"
run 1 --check build
[ "$(cat "$work/out")" = cmake ] || fail "cmake was missing"
run 0
calls "sudo install "
grep -q 'install -y --no-install-recommends cmake \[' "$work/calls" || fail "more than cmake"

# outdated package lists are fetched once, then it fails
rm "$work/have/cmake"
: >"$work/stale"
run 1
grep -q 'could not install cmake' "$work/out" || fail "no word about cmake"
calls "sudo install sudo update sudo install "

# neither root nor sudo; not Debian; unknown arguments
rm "$bin/sudo"
run 1
grep -q 'needs root' "$work/out" || fail "no word about root"
calls ""
rm "$bin/apt-get"
run 1
grep -q 'no Debian' "$work/out" || fail "no word about Debian"
run 2 --frobnicate
