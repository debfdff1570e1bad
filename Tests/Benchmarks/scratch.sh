# Sourced by the benchmarks: creates a folder that is removed when the script ends.

scratch=$(mktemp -d "${TMPDIR:-/tmp}/fingerpost-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
