#!/bin/sh
# The release build starts with the demo tenants, answers on each port, and ends after SIGTERM.
# Packages: curl
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

# expect TEXT URL [CURL OPTIONS…]: the answer must contain TEXT.
expect() {
    wanted=$1
    shift
    answer=$(curl --silent --show-error --max-time 10 "$@")
    case $answer in
    *"$wanted"*) echo "$1: $wanted" ;;
    *) fail "the answer of $1 does not contain $wanted: $answer" ;;
    esac
}

release_build fingerpost
scratch_folder
version=$("$fingerpost" --version)
case $version in
*"${BUILD_COMMIT:++$BUILD_COMMIT}") echo "--version: $version" ;;
*) fail "--version prints $version, without the commit $BUILD_COMMIT." ;;
esac
start_service
expect '"status":"ready"' "$ops/readyz"
expect '"screen":"ProductDetail"' "$public/resolve" --data '{"url":"yourapp://product/123"}'
expect 'TEAMID1234.taxi.farechoice.app' "$public/.well-known/apple-app-site-association" --header 'Host: farechoice.taxi'
expect '"code":"missing_key"' "$admin/admin/v1/tenants"
end_service
