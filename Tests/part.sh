# shellcheck shell=sh
# Shared by ./dev and the parts of its check, Tests/<Name>/run.sh. A part begins with
#
#   cd "$(dirname "$0")/../.."
#   . Tests/part.sh
#
# It exits with 0, with 3 if it lacks a tool, or with another code after a failure. The second line of its script describes
# it, and lines "# Packages: …" name the Debian packages that ./dev installs first. FINGERPOST names a build and
# RELEASE_FINGERPOST a release build, relative to the root; each lies among the other products of its build. Without these
# variables, a part builds what it needs. BUILD_FLAGS are options of the builds of ./dev test and ./dev check.
root=$PWD

# Optimizes the engine in debug builds, see Package.swift.
OPTIMIZED_ENGINE=1
export OPTIMIZED_ENGINE
# The commit in --version and the metric fingerpost_build_info, see Package.swift.
BUILD_COMMIT=$(git rev-parse HEAD 2>/dev/null | cut -c 1-8 || :)
export BUILD_COMMIT
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
# A minute is too short for a start of PostgreSQL beside the other steps of ./dev check.
PGCTLTIMEOUT=300
export PGCTLTIMEOUT

say() { printf '%s\n' "$*" >&2; }
fail() { say "${0##*/}: $*"; exit 1; }
skip() { echo "SKIPPED: $*"; exit 3; }

# debug_build PRODUCT…: builds products. Sets $fingerpost, and $binaries to their folder.
debug_build() {
    if [ -z "${FINGERPOST:-}" ]; then
        # shellcheck disable=SC2086
        for product; do swift build ${BUILD_FLAGS:-} --product "$product" >&2; done
    fi
    binaries=$(realpath "$(dirname "${FINGERPOST:-.build/debug/fingerpost}")")
    fingerpost=$binaries/fingerpost
}

# SwiftPM locks the folder of a build, so release builds have their own. Without debug information they take less time, and
# valgrind can read them.
release_folder=.build/check
release_flags='-debug-info-format none'

# release_build PRODUCT…: the same for the release build.
release_build() {
    if [ -z "${RELEASE_FINGERPOST:-}" ]; then
        for product; do
            # shellcheck disable=SC2086
            swift build --configuration release $release_flags --scratch-path "$release_folder" --product "$product" >&2
        done
    fi
    binaries=$(realpath "$(dirname "${RELEASE_FINGERPOST:-$release_folder/release/fingerpost}")")
    fingerpost=$binaries/fingerpost
}

# python_tool PACKAGE VERSION: creates a virtual environment in .build once and sets $tools to its folder. If this fails,
# prints what is missing.
python_tool() {
    tools=$root/.build/$1-$2
    [ ! -e "$tools/ready" ] || return 0
    rm -rf "$tools"
    if ! python3 -m venv "$tools" || ! "$tools/bin/pip" install --quiet "$1==$2"; then
        rm -rf "$tools"
        echo "SKIPPED: $1 $2 could not be installed. It needs python3-venv and access to PyPI."
        return 1
    fi
    : >"$tools/ready"
}

# The real WireMock 2.35.1, which the package of its Python client contains. Sets $WIREMOCK_JAR, and $tools to the folder
# with that client.
real_wiremock() {
    python_tool wiremock 2.7.0 || return 1
    WIREMOCK_JAR=$(echo "$tools"/lib/python3*/site-packages/wiremock/server/wiremock-standalone-*.jar)
    export WIREMOCK_JAR
}

# Sets $kotlin to the folder of a Kotlin compiler, or to nothing. The compiler is the one in a package of PyPI; Debian's
# is older than sealed interfaces. It needs Java.
find_kotlin() {
    kotlin=''
    if command -v java >/dev/null && python_tool kotlin-jupyter-kernel 0.19.0.944; then
        kotlin=$(echo "$tools"/lib/python3*/site-packages/run_kotlin_kernel/jars)
    fi
}

# Creates the folder $scratch. At the end of the script, removes it and ends $service.
scratch_folder() {
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/fingerpost-check.XXXXXX")
    service=''
    trap '[ -z "$service" ] || kill -KILL "$service" 2>/dev/null || :; rm -rf "$scratch"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

# await PROCESS: waits until a child has ended, and returns its status. A trapped signal interrupts `wait`, so this waits
# again while the process runs. The first `wait` is unconditional: the shell may have noticed the end before.
await() {
    wait "$1" && status=0 || status=$?
    while kill -0 "$1" 2>/dev/null; do
        wait "$1" && status=0 || status=$?
    done
    return "$status"
}

# Starts a service with the demo tenants on free ports. Sets $service to its process, $public, $admin and $ops to its
# addresses, and $key to its key with all permissions. Uses $scratch.
start_service() {
    # The service is started in the background, and creates the file late on a busy machine.
    : >"$scratch/out"
    "$fingerpost" serve --demo --data "$scratch/data" \
        --public 127.0.0.1:0 --admin 127.0.0.1:0 --ops 127.0.0.1:0 >"$scratch/out" 2>"$scratch/log" &
    service=$!
    public=$(address_of public) && admin=$(address_of admin) && ops=$(address_of ops)
    key=$(sed -n 's/.*KEY=//p' "$scratch/out")
    if [ -z "$public" ] || [ -z "$admin" ] || [ -z "$ops" ] || [ -z "$key" ]; then
        cat "$scratch/out" "$scratch/log" >&2
        fail 'the service did not print its addresses and its key within a minute.'
    fi
}

# Ends the service with SIGTERM, which must succeed.
end_service() {
    kill -TERM "$service"
    await "$service" || fail "SIGTERM ended the service with $?; its log: $(cat "$scratch/log")"
    service=''
    echo 'SIGTERM: exit 0'
}

# Prints the address that the started service printed for a port; nothing if there is none within a minute.
address_of() {
    tries=0
    while [ "$tries" -lt 600 ]; do
        address=$(sed -n "s|^$1  *\(http://[0-9.:]*\)\$|\1|p" "$scratch/out")
        if [ -n "$address" ] || ! kill -0 "$service" 2>/dev/null; then break; fi
        tries=$((tries + 1))
        sleep 0.1
    done
    printf '%s' "$address"
}
