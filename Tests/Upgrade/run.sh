#!/bin/sh
# Data directories that releases made: this version opens copies of them, upgrades them, and answers the same.
# Packages: python3 faketime
#
# run.sh [--short]: without --short, copies are also opened in later years.
# run.sh --make: makes the directory of the current version, before its release. Needs faketime and takes about a minute.
#
# Each folder, such as 0.1.0, has
#
#   data.tar.gz          a data directory with every table and every kind of file, its backup, and test keys (make.py)
#   answers.json.gz      what the release answered from it (check.py)
#   migrations.sha256    the SHA-256 of its migrations, which never change (ReleasedMigrationTests)
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

ls /usr/lib/*/faketime/libfaketimeMT.so.1 >/dev/null 2>&1 || skip 'faketime is missing; install the package faketime.'
debug_build fingerpost

case ${1:-} in
--make)
    version=$("$fingerpost" --version)
    version=${version%%+*}
    ! git rev-parse --quiet --verify "refs/tags/v$version" >/dev/null || fail "$version is released, and its directory never changes."
    folder=Tests/Upgrade/$version
    python3 Tests/Upgrade/make.py "$fingerpost" "$folder"
    sha256sum migrations/*.sql migrations/postgresql/*.sql >"$folder/migrations.sha256"
    python3 Tests/Upgrade/check.py "$fingerpost" "$folder" --record
    ;;
*)
    for folder in Tests/Upgrade/[0-9]*; do
        echo "${folder##*/}:"
        case ${1:-} in
        --short) python3 Tests/Upgrade/check.py "$fingerpost" "$folder" ;;
        *) python3 Tests/Upgrade/check.py "$fingerpost" "$folder" --long ;;
        esac
    done
    ;;
esac
