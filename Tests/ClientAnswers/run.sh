#!/bin/sh
# 200,000 random answers of apps and the server are equal, and 100,000 tables with a flipped bit are refused.
#
# run.sh [--short]: with --short, only 5,000 answers. They are equal byte for byte. The signed table has 10,000 routes.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

case ${1:-} in
--short)
    release_build ClientAnswers
    timeout 300 "$binaries/ClientAnswers" 5000
    ;;
*)
    release_build ClientAnswers ClientBench
    timeout 1800 "$binaries/ClientAnswers" 200000
    scratch_folder
    "$binaries/ClientBench" sign 10000 "$scratch/table"
    timeout 3600 "$binaries/ClientBench" flip "$scratch/table" 100000
    ;;
esac
