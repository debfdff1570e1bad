#!/bin/sh
# run.sh SECONDS [TARGET…]: fuzzes everything that reads untrusted text, each target for SECONDS: links, JSON, patterns,
# tables, association files, requests and settings, the User-Agent of a click, the escaping of untrusted text for other
# languages, and the mappings, HAR files, templates, JSONPaths and regular expressions of stubs. Needs only the Swift
# toolchain. Prints one line per target; exits with 1 after a finding and prints its input.
set -eu
seconds=${1:?"usage: run.sh SECONDS [TARGET…]"}
shift
fuzz=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$fuzz/../.." && pwd)
all='LinkFuzz JSONFuzz PatternFuzz TableFuzz AssociationFuzz RequestFuzz UserAgentFuzz EscapeFuzz MappingFuzz TemplateFuzz
    JSONPathFuzz RegexFuzz HARFuzz'
targets=${*:-$all}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# libFuzzer reports crashes; the runtime's own backtrace would only slow it down.
export SWIFT_BACKTRACE=enable=no

jobs=$(getconf _NPROCESSORS_ONLN)

# Everything is compiled with fuzzer instrumentation, so that every branch is visible. Libraries are compiled once for
# all targets.
compile() {
    swiftc -O -j "$jobs" -enable-testing -sanitize=fuzzer -parse-as-library -package-name fingerpost -I "$work" \
        -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature ExistentialAny "$@"
}

# library NAME [FIND…]: compiles all files of the target, or only those that find selects by these conditions.
library() {
    name=$1
    shift
    [ $# -gt 0 ] || set -- -name '*.swift'
    # shellcheck disable=SC2046 # no source file has a space in its name
    compile -module-name "$name" -emit-module -emit-library -static -emit-module-path "$work/$name.swiftmodule" \
        -o "$work/lib$name.a" $(find "$root"/Sources/*/"$name" "$@")
}

library LinkRouting
case $targets in *AssociationFuzz*) library AppAssociation ;; esac
case $targets in *MappingFuzz* | *HARFuzz* | *TemplateFuzz* | *JSONPathFuzz* | *RegexFuzz*) library StubMatching ;; esac
# A request contains an event's purpose. Other files of that target need packages.
case $targets in
*RequestFuzz*)
    library LinkEvents -name 'Event[.+F]*swift' ! -name 'Event+report.swift' -o -name '*ID.swift' -o -name Bytes16.swift -o -name '*+hexadecimal.swift' \
        -o -name 'String+prefix.swift'
    ;;
esac

status=0
for target in $targets; do
    case $target in
    AssociationFuzz) further='-lAppAssociation' ;;
    RequestFuzz)
        further="$root/Sources/Service/LinkServer/Resolve/ResolveRequest.swift $root/Sources/Service/LinkServer/WarningList.swift"
        further="$further $root/Sources/Service/LinkCatalog/Documents/Settings.swift -lLinkEvents"
        further="$further $(find "$root/Sources/Service/LinkCatalog/Claims" -name '*.swift')"
        ;;
    MappingFuzz | HARFuzz | TemplateFuzz | JSONPathFuzz | RegexFuzz) further='-lStubMatching' ;;
    # This target needs only these files of the server.
    UserAgentFuzz) further=$(find "$root/Sources/Service/LinkServer/UserAgents" -name 'UserAgent*.swift' -o -name 'BotClass.swift') ;;
    *) further='' ;;
    esac
    if [ "$target" = HARFuzz ] && [ ! -d "$root/Sources/TestTools/StubMatching/HAR" ]; then
        echo "HARFuzz: SKIPPED, there are no sources that read HAR files"
        continue
    fi
    if [ ! -f "$fuzz/$target.swift" ]; then
        echo "$target: no such target; there are $all." >&2
        exit 64
    fi
    # shellcheck disable=SC2086
    compile -module-name "$target" -L "$work" -o "$work/$target" "$fuzz/$target.swift" $further -lLinkRouting
    # A corpus file holds one seed per line.
    mkdir -p "$work/$target.corpus" "$work/$target.found"
    split -l 1 -a 4 "$fuzz/corpus/$target.txt" "$work/$target.corpus/seed-"
    if "$work/$target" -max_total_time="$seconds" -max_len=9000 -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 \
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
