#!/bin/sh
# Data directories that releases made: this version opens copies of them, upgrades them, and answers the same.
# Packages: postgresql python3 faketime
#
# run.sh [--short]: without --short, copies are also opened in later years.
# run.sh --make: makes the directory of the current version, before its release. Takes about a minute.
#
# Each folder, such as 0.1.0, has
#
#   data.tar.gz, answers.json.gz           a data directory with every table and every kind of file, its backup and test keys
#                                          (make.py), and what the release answered from it (check.py). Beside it, files that
#                                          people and apps keep: a tenant's file, links, a signed table with its key, tokens
#   interface.txt                          what the release offers to others (interface.py); a later version has each line
#   fleet.tar.gz, fleet-answers.json.gz    the same of two nodes and their database in PostgreSQL (fleet.py)
#   migrations.sha256                      the SHA-256 of its migrations, which never change (ReleasedMigrationTests)
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

ls /usr/lib/*/faketime/libfaketimeMT.so.1 >/dev/null 2>&1 || skip 'faketime is missing; install the package faketime.'
bin=${POSTGRESQL_BIN:-$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)}
[ -n "$bin" ] || skip 'PostgreSQL is missing; install the package postgresql.'
debug_build fingerpost

case ${1:-} in
--make)
    version=$("$fingerpost" --version)
    version=${version%%+*}
    ! git rev-parse --quiet --verify "refs/tags/$version" >/dev/null || fail "$version is released, and its directory never changes."
    [ -z "$(git status --porcelain -- . ':!Tests/Upgrade')" ] || fail 'there are changes outside Tests/Upgrade: commit them first.'
    folder=Tests/Upgrade/$version
    python3 Tests/Upgrade/make.py "$fingerpost" "$folder"
    python3 Tests/Upgrade/check.py "$fingerpost" "$folder" --record
    python3 Tests/Upgrade/fleet.py "$fingerpost" "$bin" "$folder" --make
    sha256sum migrations/*.sql migrations/postgresql/*.sql >"$folder/migrations.sha256"
    ;;
*)
    long=--long
    [ "${1:-}" != --short ] || long=''
    for folder in Tests/Upgrade/[0-9]*; do
        echo "${folder##*/}:"
        # shellcheck disable=SC2086
        python3 Tests/Upgrade/check.py "$fingerpost" "$folder" $long
        python3 Tests/Upgrade/fleet.py "$fingerpost" "$bin" "$folder"
    done
    ;;
esac
