#!/bin/sh
# deploy/release/build.sh [FOLDER]: builds all files of a release from the commit that is checked out; ./dev release calls it.
# The same commit gives the same bytes; CONTRIBUTING.md, "Releases", names what else they depend on.
# Packages: binutils mmdebstrap python3
set -eu
# Keeps of the environment what reaches servers. Variables such as CC or TAR_OPTIONS would change the files.
for name in $(env | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p'); do
    case $name in
    PATH | PWD | HOME | DEBIAN_SNAPSHOT | *_proxy | *_PROXY | SSL_CERT_* | *_CA_BUNDLE | GIT_SSL_*) ;;
    *) unset "$name" ;;
    esac
done
cd "$(dirname "$0")/../.."
. Tests/part.sh

architecture=$(uname -m)
debian_architecture=$(dpkg --print-architecture)
version=$(sed -n 's/.*? "\([0-9][0-9.]*\)" : .*/\1/p' Sources/Service/fingerpost/System/BuildInfo.swift)
[ -n "$version" ] || fail 'BuildInfo.swift has no version.'
[ -z "$(git status --porcelain)" ] ||
    fail "the working tree has changes: commit or stash them. A release is built from a commit: $(git status --porcelain | head -n 3)"
commit=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$commit")
export SOURCE_DATE_EPOCH
unset OPTIMIZED_ENGINE
LC_ALL=C.UTF-8 TZ=UTC
export LC_ALL TZ
umask 022

# changes FOLDER: prints the section of this version in CHANGELOG.md.
changes() {
    awk -v version="$version" '
        /^## / { inside = index($0, "## " version " (") == 1 }
        inside
        inside && /^## .*\([0-9]+-[0-9]+-[0-9]+\)$/ { found = 1 }
        END { exit !found }
    ' "$1/CHANGELOG.md"
}
for migration in migrations/*.sql migrations/*/*.sql; do
    grep -qsF "$(sha256sum "$migration")" Tests/Upgrade/*/migrations.sha256 ||
        fail "no directory in Tests/Upgrade has had $migration: run 'Tests/Upgrade/run.sh --make', and commit the directory."
done
changes . >/dev/null || fail "CHANGELOG.md has no section '## $version (YEAR-MONTH-DAY)'."

folder=${1:-.build/release-$version}
mkdir -p "$folder"
[ -z "$(ls "$folder")" ] || fail "$folder is not empty."
folder=$(realpath "$folder")

# The folder of the build is part of the program: in the messages of failed assertions, and in the debug information. The
# path is always the same. Only one release is built at a time.
source=/var/tmp/fingerpost-release
mkdir -m 0755 "$source" 2>/dev/null ||
    fail "$source exists: another release is being built, or one was killed; then remove the folder."
# After an interrupt, compilers may still write files.
trap 'rm -rf "$source" 2>/dev/null || { sleep 3; rm -rf "$source"; }' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
products=$source/.build/release
name=fingerpost-$version-linux-$architecture

# --- steps -----------------------------------------------------------------------------------------------------------

times=''
step() {
    say "release: $1"
    started=$(date +%s)
    # Not `$2 || fail`: the shell would ignore failures within the function.
    $2
    times="$times$(printf '%-52s %8d s' "$1" "$(($(date +%s) - started))")
"
}

# pack FILE OWNER FOLDER NAME…: appends to a tar file without what differs between machines: owners, times, the order of names.
pack() {
    file=$1 owner=$2 parent=$3
    shift 3
    tar --append --file "$file" --sort=name --format=ustar --owner="$owner" --group="$owner" --numeric-owner \
        --mtime="@$SOURCE_DATE_EPOCH" --directory "$parent" "$@"
}

# archive FILE.tar.gz FOLDER NAME
archive() {
    pack "$source/archive.tar" 0 "$2" "$3"
    gzip -9n <"$source/archive.tar" >"$1"
    rm "$source/archive.tar"
}

build_program() {
    git -c tar.umask=0022 -c core.autocrlf=false -c core.attributesFile=/dev/null archive --output "$source/source.tar" "$commit"
    tar --extract --file "$source/source.tar" --directory "$source"
    # The debug information would name the compiled headers, whose names depend on the time of the checkout.
    # Debuggers find the debug information by the build id, which the linker leaves out by default. The libraries are those of the
    # system, not files beside the program, and their addresses cannot be changed after the start.
    # The versions of an earlier build, or of a release that is built again; without the file, the newest that Package.swift allows.
    [ ! -e Package.resolved ] || cp Package.resolved "$source/"
    swift build --package-path "$source" --configuration release --product fingerpost --static-swift-stdlib \
        -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs --disable-local-rpath -Xlinker --build-id=sha1 -Xlinker -z -Xlinker now >&2
    cp "$source/Package.resolved" "$folder/"
}

# The debug information goes into a file of its own, which is unpacked into /usr/lib/debug.
split_debug() {
    id=$(readelf --notes "$products/fingerpost" | sed -n 's/.*Build ID: //p')
    [ -n "$id" ] || fail 'the program has no build id.'
    debug=usr/lib/debug/.build-id/$(printf %s "$id" | cut -c1-2)/$(printf %s "$id" | cut -c3-).debug
    mkdir -p "$source/debug/${debug%/*}"
    objcopy --only-keep-debug --compress-debug-sections=zlib "$products/fingerpost" "$source/debug/$debug"
    strip -o "$source/fingerpost" "$products/fingerpost"
    archive "$folder/$name-debug.tar.gz" "$source/debug" usr
}

list_components() {
    # Run in the exported tree, whose Package.resolved names the versions that were built.
    cp "$source/fingerpost" "$products/fingerpost"
    "$source/deploy/release/bill.py" "$version" "$products" "$source/notices" >&2
    cp "$source/notices/components.spdx.json" "$folder/fingerpost-$version.spdx.json"
    cp "$source/notices/NOTICE" "$folder/NOTICE"
}

build_package() {
    "$source/deploy/debian/build.sh" "$source/fingerpost" "$folder" "$version" "$source/notices/NOTICE" \
        "$source/notices/LIBRARIES" >&2
}

# The files of the Debian package, below a folder of their own.
build_tarball() {
    dpkg-deb --extract "$folder/fingerpost_${version}_$debian_architecture.deb" "$source/files"
    mkdir -p "$source/tarball/$name"
    mv "$source/files/usr/"* "$source/files/etc" "$source/tarball/$name/"
    (
        cd "$source/tarball/$name"
        # Debian's name of a folder, and files that only its packages have.
        mv share/zsh/vendor-completions share/zsh/site-functions
        gunzip share/man/man1/*.gz
        rm share/doc/fingerpost/changelog.gz share/doc/fingerpost/copyright
        mv share/doc/fingerpost/* .
        rmdir share/doc/fingerpost share/doc
    )
    archive "$folder/$name.tar.gz" "$source/tarball" "$name"
}

# Two layers: Debian with the libraries, and the program. The first one changes only with Debian's packages, so its files have
# a date of its own. DEBIAN_SNAPSHOT is a time of snapshot.debian.org; the default is the current state of Debian.
build_image() {
    set --
    if [ -n "${DEBIAN_SNAPSHOT:-}" ]; then
        archive=http://snapshot.debian.org/archive
        set -- --aptopt='Acquire::Check-Valid-Until "false"' bookworm "$source/debian.tar" \
            "deb $archive/debian/$DEBIAN_SNAPSHOT bookworm main" "deb $archive/debian/$DEBIAN_SNAPSHOT bookworm-updates main" \
            "deb $archive/debian-security/$DEBIAN_SNAPSHOT bookworm-security main"
    else
        set -- bookworm "$source/debian.tar"
    fi
    # Without usr-is-merged, apt would choose usrmerge, which brings Perl.
    # shellcheck disable=SC2016 # mmdebstrap expands $1, the folder of the system.
    SOURCE_DATE_EPOCH=1700000000 mmdebstrap --quiet --variant=essential --skip=output/dev \
        --include="usr-is-merged,$("$source/deploy/release/image.py" packages)" \
        --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
        --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
        --customize-hook='cd "$1" && rm -rf etc/hostname etc/resolv.conf var/log/* var/cache/ldconfig/aux-cache' \
        --customize-hook='cd "$1" && rm -f var/lib/dpkg/*-old var/cache/debconf/*-old' \
        --customize-hook='find "$1" -xdev -type f -perm /6000 -exec chmod a-s {} +' "$@" >&2
    layer=$source/layer
    install -D -m 0755 "$source/fingerpost" "$layer/usr/local/bin/fingerpost"
    install -D -m 0644 -t "$layer/usr/share/doc/fingerpost" "$source/LICENSE" "$source/notices/NOTICE" \
        "$source/notices/LIBRARIES"
    # A container gets its own devices, and mounts them here.
    install -d "$layer/dev"
    pack "$source/fingerpost.tar" 0 "$layer" dev usr
    # The same folders as in deploy/Dockerfile, for the user of the image.
    install -d -m 0700 "$layer/var/lib/fingerpost" "$layer/var/lib/fingerpost-backups"
    pack "$source/fingerpost.tar" 10001 "$layer" var/lib/fingerpost var/lib/fingerpost-backups
    "$source/deploy/release/image.py" archive "$version" "$commit" "$debian_architecture" "$folder/$name.oci.tar" \
        "$source/debian.tar" "$source/fingerpost.tar"
}

# The package for apps: the engine with its tests. The tests that need the service stay behind.
build_app_package() {
    app=$source/fingerpost-swift
    mkdir -p "$app/docs"
    for target in LinkRouting LinkTable LinkClient ScreenCode; do
        mkdir -p "$app/Sources/Engine" "$app/Tests/Engine"
        cp -R "$source/Sources/Engine/$target" "$app/Sources/Engine/"
        cp -R "$source/Tests/Engine/${target}Tests" "$app/Tests/Engine/"
    done
    cp -R "$source/Tests/TestSupport" "$app/Tests/"
    rm "$app/Tests/Engine/LinkClientTests/AnswerComparisonTests.swift" \
        "$app/Tests/Engine/ScreenCodeTests/ExampleScreenTests.swift"
    # Their tables are input of the tests.
    cp "$source/docs/routing.md" "$source/docs/routing-conformance.md" "$source/docs/tables.md" "$app/docs/"
    cp "$source/LICENSE" "$source/.swift-version" "$app/"
    changes "$source" >"$app/CHANGELOG.md"
    cp -R "$source/deploy/release/app-package/Package.swift" "$source/deploy/release/app-package/.github" "$app/"
    sed "s/@VERSION@/$version/g" "$source/deploy/release/app-package/README.md" >"$app/README.md"
    printf '/.build/\n/.swiftpm/\n/Package.resolved\n' >"$app/.gitignore"
    archive "$folder/fingerpost-swift-$version.tar.gz" "$source" fingerpost-swift
    cp -R "$app" "$folder/"
}

write_sums() {
    changes "$source" >"$folder/CHANGELOG-$version.md"
    (cd "$folder" && find . -maxdepth 1 -type f -printf '%P\n' | sort | xargs sha256sum) >"$source/sums"
    cp "$source/sums" "$folder/SHA256SUMS"
}

step 'compile the program' build_program
step 'separate the debug information' split_debug
step 'list what is linked' list_components
step "build the package for Debian ($debian_architecture)" build_package
step 'pack the tarball' build_tarball
step 'build the container image' build_image
step 'write the package for apps' build_app_package
step 'write the checksums' write_sums

echo "fingerpost $version, commit $BUILD_COMMIT, in $folder"
echo
(cd "$folder" && find . -maxdepth 1 -type f -printf '%P %s\n' | sort | awk '{ printf "%-52s %8.1f MB\n", $1, $2 / 1e6 }')
echo
printf '%s' "$times"
echo
echo "Only $debian_architecture was built: the toolchain has no SDK for another architecture, so no other one was tried."
