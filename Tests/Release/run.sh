#!/bin/sh
# Two runs of ./dev release give the same bytes; the files install, run, upgrade, roll back and leave the data. Needs root.
# Packages: curl python3 python3-venv binutils mmdebstrap debootstrap systemd-container skopeo mandoc zsh fish
#
# RELEASE names the files of an earlier run for the same commit, and AGAIN those of another one. NEWER names a package for Debian
# of version 0.1.1 with one more migration. What is not named is built, which takes a quarter of an hour each.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

[ "$(id -u)" -eq 0 ] || skip 'chroot and debootstrap need root.'
scratch_folder
chmod 0755 "$scratch"
version=$(sed -n 's/.*? "\([0-9][0-9.]*\)" : .*/\1/p' Sources/Service/fingerpost/System/BuildInfo.swift)
name=fingerpost-$version-linux-$(uname -m)
package=fingerpost_${version}_$(dpkg --print-architecture).deb

# --- two runs --------------------------------------------------------------------------------------------------------

release=${RELEASE:-$scratch/release} again=${AGAIN:-$scratch/again}
[ -n "${RELEASE:-}" ] || ./dev release "$release"
if [ -z "${AGAIN:-}" ]; then
    git clone --quiet . "$scratch/clone"
    cp "$release/Package.resolved" "$scratch/clone/"
    # Another caller, with other settings.
    (umask 077 && cd "$scratch/clone" && CC=/bin/false TAR_OPTIONS=--mode=0 TZ=Asia/Tokyo ./dev release "$again")
fi
release=$(realpath "$release")
diff "$release/SHA256SUMS" "$again/SHA256SUMS" || fail 'two runs give different bytes.'
(cd "$release" && sha256sum --check --quiet SHA256SUMS)
diff -r "$release/fingerpost-swift" "$again/fingerpost-swift" || fail 'the packages for apps of two runs differ.'
echo "two runs, of which one is in a clone, give the same $(wc -l <"$release/SHA256SUMS") files"

# --- contents --------------------------------------------------------------------------------------------------------

python3 Tests/Release/contents.py "$release" "$version" "$name" "$package"

mkdir "$scratch/tarball"
tar -x -f "$release/$name.tar.gz" -C "$scratch/tarball"
files=$scratch/tarball/$name
[ "$("$files/bin/fingerpost" --version)" = "$version+$BUILD_COMMIT" ] || fail 'the program of the tarball has another version.'
! grep -qF "$root" "$files/bin/fingerpost" || fail "the program contains the folder $root."
! readelf --sections --wide "$files/bin/fingerpost" | grep -qE ' \.(symtab|debug_info) ' || fail 'the program is not stripped.'
tar -x -f "$release/$name-debug.tar.gz" -C "$scratch"
id=$(readelf --notes "$files/bin/fingerpost" | sed -n 's/.*Build ID: //p')
debug=$scratch/usr/lib/debug/.build-id/$(printf %s "$id" | cut -c1-2)/$(printf %s "$id" | cut -c3-).debug
readelf --sections --wide "$debug" 2>/dev/null | grep -q debug_info || fail 'the debug file of the build id has no debug information.'
echo "the tarball's program is $version+$BUILD_COMMIT, stripped, and its debug file has its build id"

findings=$(mandoc -Tlint -Wwarning "$files/share/man/man1/fingerpost.1" || :)
[ -z "$findings" ] || fail "the manual page has faults: $findings"
bash -n "$files/share/bash-completion/completions/fingerpost"
zsh -n "$files/share/zsh/site-functions/_fingerpost"
fish -n "$files/share/fish/vendor_completions.d/fingerpost.fish"
# shellcheck disable=SC2016 # bash expands them.
words=$(PATH="$files/bin:$PATH" bash -c '. "$1"; COMP_WORDS=(fingerpost reso) COMP_CWORD=1 COMP_LINE="fingerpost reso" COMP_POINT=15
    _fingerpost fingerpost reso fingerpost; echo "${COMPREPLY[@]}"' bash "$files/share/bash-completion/completions/fingerpost")
[ "$words" = resolve ] || fail "bash completes 'fingerpost reso' with '$words'."
words=$(PATH="$files/bin:$PATH" fish -c "source $files/share/fish/vendor_completions.d/fingerpost.fish; complete -C 'fingerpost reso'" |
    cut -f 1)
[ "$words" = resolve ] || fail "fish completes 'fingerpost reso' with '$words'."
echo 'the manual page has no faults; bash and fish complete a command, and zsh reads its file'

python_tool spdx-tools 0.8.3 || exit 3
"$tools/bin/pyspdxtools" --infile "$release/fingerpost-$version.spdx.json" || fail 'the SBOM is not valid SPDX.'
echo 'the SBOM is valid SPDX 2.3'

# --- the image -------------------------------------------------------------------------------------------------------

image=oci-archive:$release/$name.oci.tar:$version
skopeo inspect "$image" >"$scratch/image.json"
skopeo inspect --config "$image" >"$scratch/config.json"
# Converting reads every layer and compares it with its digest.
skopeo copy --quiet "$image" "dir:$scratch/layers"
python3 Tests/Release/image.py "$scratch/image.json" "$scratch/config.json" "$scratch/layers" "$version" "$(git rev-parse HEAD)"
mkdir "$scratch/image"
for layer in $(python3 -c 'import json, sys; print(*(l["digest"][7:] for l in json.load(open(sys.argv[1]))["layers"]))' \
    "$scratch/layers/manifest.json"); do
    tar -x -z -f "$scratch/layers/$layer" -C "$scratch/image"
done
said=$(chroot "$scratch/image" /usr/local/bin/fingerpost --version 2>&1) && fail "without /proc, the program says '$said'." || status=$?
[ "$status $said" = '74 fingerpost: /proc is not mounted; mount it.' ] || fail "without /proc, the program exits with $status: $said"
# smoke FOLDER USER PROGRAM: the smoke test of a build, with the program in a root file system.
smoke() {
    mkdir -p "$scratch/run-$2"
    {
        echo '#!/bin/sh'
        echo "exec $root/Tests/Release/in-root.sh '$1' '$2' '$3' \"\$@\""
    } >"$scratch/run-$2/fingerpost"
    chmod 0755 "$scratch/run-$2/fingerpost"
    RELEASE_FINGERPOST=$scratch/run-$2/fingerpost Tests/ReleaseSmoke/run.sh
}
smoke "$scratch/image" 10001 /usr/local/bin/fingerpost
echo 'skopeo reads the image, and its root file system passes the smoke test'

# --- the package for apps --------------------------------------------------------------------------------------------

(
    unset OPTIMIZED_ENGINE BUILD_COMMIT
    mkdir "$scratch/app"
    tar -x -f "$release/fingerpost-swift-$version.tar.gz" -C "$scratch/app"
    cd "$scratch/app/fingerpost-swift"
    swift package resolve >/dev/null 2>&1
    fetched=$(sed -n 's/.*"identity" : "\(.*\)",*/\1/p' Package.resolved | sort | paste -s -d ' ' -)
    [ "$fetched" = 'swift-asn1 swift-crypto' ] || fail "fingerpost-swift fetches $fetched instead of swift-asn1 and swift-crypto."
    swift test --disable-xctest >"$scratch/app.log" 2>&1 || { tail -n 40 "$scratch/app.log" >&2; fail 'fingerpost-swift fails alone.'; }
    grep 'Test run with' "$scratch/app.log"
    # The code of the README, in an app that depends on the package.
    mkdir -p "$scratch/app/App/Sources/App"
    awk '/^```swift/ { block++; next } /^```/ { inside = 0 } block == 2 && !/^```/ && !ended { print } block == 2 && /^```/ { ended = 1 }' \
        README.md >"$scratch/app/App/Sources/App/main.swift"
    cat >"$scratch/app/App/Package.swift" <<'TEXT'
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "App",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../fingerpost-swift")],
    targets: [
        .executableTarget(
            name: "App",
            dependencies: ["LinkClient", "LinkRouting", "LinkTable", "ScreenCode"].map {
                .product(name: $0, package: "fingerpost-swift")
            }
        )
    ]
)
TEXT
    cd "$scratch/app/App"
    swift build >"$scratch/app.log" 2>&1 || { tail -n 40 "$scratch/app.log" >&2; fail 'the code of its README does not compile.'; }
    echo "fingerpost-swift passes its tests alone, fetches $fetched, and the code of its README compiles"
)

# --- the package for Debian ------------------------------------------------------------------------------------------

newer=${NEWER:-}
if [ -z "$newer" ]; then
    mkdir "$scratch/newer"
    git archive HEAD | tar -x -C "$scratch/newer"
    python3 Tests/Release/newer.py "$scratch/newer" "$version" 0.1.1
    (
        cd "$scratch/newer"
        unset OPTIMIZED_ENGINE
        # shellcheck disable=SC2086
        swift build --configuration release $release_flags --product fingerpost --static-swift-stdlib >&2
        deploy/debian/build.sh .build/release/fingerpost "$scratch" 0.1.1
    )
    newer=$(ls "$scratch"/fingerpost_0.1.1_*.deb)
fi
# installs SYSTEM OPTION…: in a new root of a system. The options are those of debootstrap.
installs() {
    system=$1
    shift
    debootstrap --variant=minbase --include=ca-certificates,systemd,systemd-sysv,dbus "$@" >"$scratch/debootstrap.log" 2>&1 ||
        { tail "$scratch/debootstrap.log" >&2; fail "debootstrap of $system failed."; }
    cp "$release/$package" "$scratch/$system/root/older.deb"
    cp "$newer" "$scratch/$system/root/newer.deb"
    echo "on $system:"
    python3 Tests/Release/install.py "$scratch/$system" "$version+$BUILD_COMMIT" 0.1.1
}
installs debian bookworm "$scratch/debian" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"}
# Debian has neither Ubuntu's keys nor the script of its newest version, which is the same for all.
installs ubuntu --no-check-gpg --components=main,universe noble "$scratch/ubuntu" "${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}" \
    /usr/share/debootstrap/scripts/gutsy
