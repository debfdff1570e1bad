#!/bin/sh
# Everything that reads untrusted text survives a minute of fuzzing for each reader.
#
# run.sh [--short | SECONDS [TARGET…]]: fuzzes links, JSON, patterns, tables, association files, requests and settings, the
# User-Agent of a click, the escaping of untrusted text for other languages, and the mappings, HAR files, templates,
# JSONPaths and regular expressions of stubs, each for SECONDS. Needs only the Swift toolchain. Prints one line per target;
# exits with 1 after a finding and prints its input. --short is one second for each that the service itself has: compiling
# those of the stub server takes as long as the others together.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

fuzz=Tests/Fuzz
all='LinkFuzz JSONFuzz PatternFuzz TableFuzz AssociationFuzz RequestFuzz UserAgentFuzz EscapeFuzz'
case ${1:-} in
--short)
    seconds=1
    optimization=-Onone
    ;;
*)
    seconds=${1:-60}
    optimization=-Osize
    all="$all MappingFuzz TemplateFuzz JSONPathFuzz RegexFuzz HARFuzz"
    ;;
esac
[ $# -eq 0 ] || shift
targets=${*:-$all}
for target in $targets; do
    [ -f "$fuzz/$target.swift" ] || fail "$target: no such target; there are $all."
done
scratch_folder
# libFuzzer reports crashes; the runtime's own backtrace would only slow it down.
export SWIFT_BACKTRACE=enable=no

# Everything is compiled with fuzzer instrumentation, so that every branch is visible. Libraries are compiled once for
# all targets. -Osize compiles a quarter faster than -O, and whole modules faster than files. Without optimization, which
# compiles fastest, some inputs of TemplateFuzz take a minute.
compile() {
    swiftc "$optimization" -wmo -num-threads 2 -enable-testing -sanitize=fuzzer -parse-as-library -package-name fingerpost -I "$scratch" \
        -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature ExistentialAny "$@"
}

echo '@_cdecl("LLVMFuzzerTestOneInput") public func probe(_: UnsafePointer<UInt8>, _: Int) -> CInt { 0 }' >"$scratch/probe.swift"
compile "$scratch/probe.swift" -o "$scratch/probe" 2>/dev/null || skip 'this toolchain has no libFuzzer runtime.'

# library NAME [FIND…]: compiles all files of the target, or only those that find selects by these conditions.
library() {
    name=$1
    shift
    [ $# -gt 0 ] || set -- -name '*.swift'
    # shellcheck disable=SC2046 # no source file has a space in its name
    compile -module-name "$name" -emit-module -emit-library -static -emit-module-path "$scratch/$name.swiftmodule" \
        -o "$scratch/lib$name.a" $(find Sources/*/"$name" "$@")
}

library LinkRouting
# The part of the target that reads an apple-app-site-association file and decides.
case $targets in
*AssociationFuzz*) library AppAssociation -path '*/Apple/*.swift' -o -path '*/Signed/*.swift' -o -name Excerpt.swift -o -name ByteSet.swift ;;
esac
case $targets in *MappingFuzz* | *HARFuzz* | *TemplateFuzz* | *JSONPathFuzz* | *RegexFuzz*) library StubMatching ;; esac
# A request contains an event's purpose. Other files of that target need packages.
case $targets in
*RequestFuzz*)
    library LinkEvents -name 'Event[.+F]*swift' ! -name 'Event+report.swift' -o -name '*ID.swift' -o -name LogCursor.swift -o -name Bytes16.swift -o -name '*+hexadecimal.swift' \
        -o -name 'String+prefix.swift'
    ;;
esac

status=0
for target in $targets; do
    case $target in
    AssociationFuzz) further='-lAppAssociation' ;;
    RequestFuzz)
        further="Sources/Service/LinkServer/Resolve/ResolveRequest.swift Sources/Service/LinkServer/Resolve/CallersPurpose.swift"
        further="$further Sources/Service/LinkServer/WarningList.swift"
        documents=Sources/Service/LinkCatalog/Documents
        further="$further $documents/Settings.swift $documents/Settings+brand.swift $documents/PageText.swift"
        further="$further $documents/RGBColor.swift -lLinkEvents"
        further="$further $(find Sources/Service/LinkCatalog/Claims -name '*.swift')"
        ;;
    MappingFuzz | HARFuzz | TemplateFuzz | JSONPathFuzz | RegexFuzz) further='-lStubMatching -lswiftSynchronization' ;;
    # This target needs only this folder of the server.
    UserAgentFuzz) further=$(find Sources/Service/LinkServer/UserAgents -name '*.swift') ;;
    *) further='' ;;
    esac
    # shellcheck disable=SC2086
    compile -module-name "$target" -L "$scratch" -o "$scratch/$target" "$fuzz/$target.swift" $further -lLinkRouting
    # A corpus file holds one seed per line.
    mkdir -p "$scratch/$target.corpus" "$scratch/$target.found"
    split -l 1 -a 4 "$fuzz/corpus/$target.txt" "$scratch/$target.corpus/seed-"
    if "$scratch/$target" -max_total_time="$seconds" -max_len=9000 -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$scratch/$target.found/" "$scratch/$target.corpus" >"$scratch/$target.log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$scratch/$target.log")
        echo "$target: no finding in $runs runs, ${seconds} s"
    else
        status=1
        tail -n 40 "$scratch/$target.log" >&2
        for input in "$scratch/$target.found"/*; do
            [ -f "$input" ] && echo "input: $(base64 <"$input" | tr -d '\n')" >&2
        done
        echo "$target: FINDING, see above"
    fi
done
exit $status
