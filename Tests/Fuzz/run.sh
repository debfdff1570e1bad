#!/bin/sh
# run.sh SECONDS [TARGET]: fuzzes what reads other people's texts, each target for SECONDS: LinkFuzz, JSONFuzz and PatternFuzz
# of LinkRouting, AssociationFuzz of AppAssociation.
# Needs only the Swift toolchain. Prints one line per target; exits 1 after a finding, whose input it shows.
set -eu
seconds=${1:?"usage: run.sh SECONDS [TARGET]"}
fuzz=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$fuzz/../.." && pwd)
targets=${2:-LinkFuzz JSONFuzz PatternFuzz AssociationFuzz}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A crash is reported by libFuzzer; the runtime's own backtrace would only slow it down.
export SWIFT_BACKTRACE=enable=no

compile() {
    swiftc -O -sanitize=fuzzer -parse-as-library -package-name fingerpost \
        -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature ExistentialAny "$@"
}

status=0
for target in $targets; do
    if [ ! -f "$fuzz/$target.swift" ]; then
        echo "$target: no such target; there are LinkFuzz, JSONFuzz, PatternFuzz and AssociationFuzz." >&2
        exit 64
    fi
    # The sources are compiled together with the target, so that the fuzzer sees every branch of them. None has a space in its
    # name.
    routing=$(find "$root/Sources/LinkRouting" -name '*.swift')
    # shellcheck disable=SC2086
    case $target in
    AssociationFuzz)
        compile -module-name LinkRouting -emit-module -emit-library -static \
            -emit-module-path "$work/LinkRouting.swiftmodule" -o "$work/libLinkRouting.a" $routing
        # shellcheck disable=SC2046 # no source file has a space in its name
        compile -module-name AppAssociation -emit-module -emit-library -static -I "$work" \
            -emit-module-path "$work/AppAssociation.swiftmodule" -o "$work/libAppAssociation.a" \
            $(find "$root/Sources/AppAssociation" -name '*.swift')
        compile -module-name "$target" -I "$work" -L "$work" -o "$work/$target" "$fuzz/$target.swift" \
            -lAppAssociation -lLinkRouting
        ;;
    *)
        compile -module-name "$target" -o "$work/$target" $routing "$fuzz/$target.swift"
        ;;
    esac
    # A corpus file holds one seed a line.
    mkdir -p "$work/$target.corpus" "$work/$target.found"
    split -l 1 -a 4 "$fuzz/corpus/$target.txt" "$work/$target.corpus/seed-"
    if "$work/$target" -max_total_time="$seconds" -max_len=9000 -timeout=5 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$work/$target.found/" "$work/$target.corpus" >"$work/$target.log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$target.log")
        echo "$target: no finding in $runs runs, ${seconds} s"
    else
        status=1
        tail -n 40 "$work/$target.log" >&2
        for input in "$work/$target.found"/*; do
            [ -f "$input" ] && echo "input: $(base64 <"$input" | tr -d '\n')" >&2
        done
        echo "$target: FINDING, see above"
    fi
done
exit $status
