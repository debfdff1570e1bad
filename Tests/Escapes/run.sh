#!/bin/sh
# Texts are escaped only in two files of Sources/Engine/LinkRouting/Values, and the command line prints in only one place.
#
# They are Escapes.swift and Escapes+code.swift, which work by Unicode scalars. No other file replaces parts of a text.
# Lists every violation and exits with 1 if there are any. First it must find every line of samples.txt, to prove that
# the search works.
set -eu
cd "$(dirname "$0")/../.."
folder=Tests/Escapes
status=0

while IFS= read -r sample; do
    printf '%s\n' "$sample" | grep -qE -f "$folder/escapes.txt" -f "$folder/output.txt" || {
        echo "run.sh does not see: $sample"
        status=1
    }
done <"$folder/samples.txt"

# said WHAT: prints standard input under the heading WHAT and fails, unless it is empty.
said() {
    found=$(cat)
    [ -z "$found" ] || printf '%s:\n%s\n' "$1" "$found"
    [ -z "$found" ]
}

# CommandWords replaces words in messages for people, and FindingLines in texts that are only compared: no language reads
# the results.
grep -rnE -f "$folder/escapes.txt" Sources --include='*.swift' \
    | grep -vE '^Sources/(Engine/LinkRouting/Values/Escapes(\+code)?|Service/fingerpost/Output/(CommandWords|FindingLines))\.swift:' \
    | said 'Escape with what is in Sources/Engine/LinkRouting/Values/Escapes.swift and Escapes+code.swift' || status=1
grep -rnE -f "$folder/output.txt" Sources/Service/fingerpost --include='*.swift' \
    | grep -vE '^Sources/Service/fingerpost/Output/(StandardOutput|ProgressBar)\.swift:' \
    | said 'Write with what is in Sources/Service/fingerpost/Output/StandardOutput.swift' || status=1
exit $status
