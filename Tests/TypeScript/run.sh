#!/bin/sh
# fingerpost.ts and the TypeScript of docs/app.md compile; it answers as the conformance vectors say, and reports once.
# Packages: node-typescript nodejs
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

for tool in tsc node; do
    command -v "$tool" >/dev/null || skip "$tool is missing."
done
debug_build fingerpost
scratch_folder

# With the types of browsers and without them: React Native and node have others.
tsc --project Tests/TypeScript --lib es2020,dom --noEmit
tsc --project Tests/TypeScript --outDir "$scratch"
# The blocks of docs/app.md, each after the name of its file, with the generated screens.
app=$scratch/app
mkdir -p "$app/app"
cp config/examples/typescript/fingerpost.ts Tests/TypeScript/packages.d.ts "$app"
"$fingerpost" codegen typescript config/examples/shop.yaml --out "$app/ShopScreen.ts"
awk -v app="$app" '
    /^<!-- typescript: .* -->$/ { name = app "/" $3; next }
    /^```typescript$/ { if (!name) { print "docs/app.md, line " NR ": a block has no name"; exit 1 }; file = name; next }
    /^```$/ { file = name = "" }
    file { print >file }
' docs/app.md
[ -e "$app/links.ts" ] || fail 'docs/app.md has no links.ts.'
(cd "$app" && tsc --strict --target es2020 --lib es2020 --noEmit ./*.ts app/*.ts)
lines=$(wc -l <config/examples/typescript/fingerpost.ts)
[ "$lines" -le 250 ] || fail "fingerpost.ts has $lines lines; 250 are the limit, so that an app's team reads all of them."
"$fingerpost" conformance export --out "$scratch/vectors.json"
start_service
timeout 300 node Tests/TypeScript/client.js "$scratch/fingerpost.js" "$scratch/vectors.json" "$public" "$admin" "$key"
end_service
