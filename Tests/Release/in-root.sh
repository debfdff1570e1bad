#!/bin/sh
# in-root.sh ROOT USER PROGRAM [ARGUMENTS…]: runs a program with ROOT as its root file system, as a user (a number; 0 is root).
# /proc and /dev are mounted in a namespace of the program, and disappear with it.
set -eu
[ $# -ge 3 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 64; }
# shellcheck disable=SC2016 # The inner shell expands them.
exec unshare --mount sh -euc '
    root=$1 user=$2
    shift 2
    mkdir -p "$root/dev" "$root/proc"
    mount --bind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    exec chroot --userspec="$user:$user" "$root" "$@"
' sh "$@"
