#!/bin/sh
# update.sh FINGERPOST: makes the generated files of the sample app from config/examples/shop.yaml again: the screens, and
# the bundled table. The table is signed with a new key, which is not kept; Links.swift gets the public keys.
# Example: config/examples/app/update.sh .build/debug/fingerpost
set -eu
fingerpost=$1
app=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/fingerpost-app.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

"$fingerpost" codegen swift "$app/../shop.yaml" --out "$app/Shop/ShopScreen.swift"
"$fingerpost" table keys create "$scratch/table.jwk" >"$scratch/keys"
"$fingerpost" table sign "$app/../shop.yaml" --app ios --signing-key "$scratch/table.jwk" --revision 1 \
    --settings-revision 1 --output "$app/Shop/shop.table"
# The lines of the keys are the only ones in Links.swift that consist of a text and a comma.
awk 'NR == FNR { key[FNR] = $2; next }
    /^ *"[^"]*",$/ { count++; sub(/"[^"]*"/, "\"" key[count] "\"") }
    { print }' "$scratch/keys" "$app/Shop/Links.swift" >"$scratch/Links.swift"
cat "$scratch/Links.swift" >"$app/Shop/Links.swift"
