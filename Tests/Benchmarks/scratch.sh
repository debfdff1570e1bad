# Sourced by the benchmarks: a folder that goes when the script ends.

scratch=$(mktemp -d "${TMPDIR:-/tmp}/fingerpost-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
