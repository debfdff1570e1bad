#!/bin/sh
# Schemathesis finds no answer of the HTTP interface that /openapi.json does not allow.
# Packages: python3 python3-venv
#
# Schemathesis sends a running server requests that its OpenAPI documents allow, and many that they do not. Every answer
# must be documented, and none may be a server error. run.sh [--short]: --short sends a third of the requests, see short.toml.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

# contract ADDRESS [OPTIONS…]: two checks are disabled. A schema cannot express which tables fit a tenant's settings, so
# a valid request may be refused. An invalid request may be accepted: null counts as an omitted field, and POST
# /resolve only warns about unknown fields, because published apps cannot be fixed.
contract() {
    address=$1
    shift
    (cd "$scratch" && timeout 900 env PYTHONPATH="$root/Tests/Contract" \
        SCHEMATHESIS_HOOKS=contract_hooks "$tools/bin/schemathesis" \
        ${configuration:+--config-file "$configuration"} run "$address/openapi.json" --seed 1 --no-color \
        --exclude-checks positive_data_acceptance,negative_data_rejection "$@" >"$scratch/contract") || {
        sed -n '/ FAILURES /,$p' "$scratch/contract" >&2
        fail "the server at $address violates its /openapi.json."
    }
    grep -E 'Tested:|generated' "$scratch/contract"
}

configuration=''
case ${1:-} in --short) configuration=$root/Tests/Contract/short.toml ;; esac
python_tool schemathesis 4.32.5 || exit 3
debug_build fingerpost
scratch_folder
start_service
contract "$public" --max-examples 50
# Excluded: revokeKey revokes the key in use; archiveTenant and removeTenant would leave no tenant to the other
# operations; Schemathesis cannot serialise the lines of importRoutes and createShortLink; tailEvents runs for an hour.
contract "$admin" --max-examples 10 --header "Authorization: Bearer $key" \
    --exclude-operation-id revokeKey --exclude-operation-id archiveTenant --exclude-operation-id removeTenant \
    --exclude-operation-id importRoutes --exclude-operation-id createShortLink --exclude-operation-id tailEvents
end_service
