#!/bin/sh
# deploy/debian/build.sh BINARY [FOLDER [VERSION [NOTICE…]]]: builds fingerpost_VERSION_ARCHITECTURE.deb in FOLDER (default:
# here) from a release binary. VERSION is what the binary prints, unless it is given. The NOTICE files are added to
# the documents. The same files and SOURCE_DATE_EPOCH give the same bytes.
# swift build --configuration release --product fingerpost --static-swift-stdlib
set -eu
[ $# -ge 1 ] || { sed -n '2,5s/^# //p' "$0" >&2; exit 64; }
binary=$(realpath "$1")
folder=$(realpath "${2:-.}")
version=${3:-$("$binary" --version)}
[ $# -le 3 ] || { shift 3; notices=$(realpath "$@"); }
cd "$(dirname "$0")/../.."

architecture=$(dpkg --print-architecture)
: "${SOURCE_DATE_EPOCH:=$(date +%s)}"
export SOURCE_DATE_EPOCH
stage=$(mktemp -d "${TMPDIR:-/tmp}/fingerpost-deb.XXXXXX")
trap 'rm -rf "$stage"' EXIT
chmod 0755 "$stage"
umask 022

install -D -m 0755 "$binary" "$stage/usr/bin/fingerpost"
# Leaves a stripped binary as it is: strip would align its sections again.
! readelf --sections --wide "$binary" | grep -q ' \.symtab ' || strip "$stage/usr/bin/fingerpost"
install -D -m 0644 -t "$stage/usr/lib/systemd/system" deploy/fingerpost.service deploy/fingerpost-backup.service \
    deploy/fingerpost-backup.timer
install -d "$stage/etc/fingerpost"
# Sets the unit's data directory; all other values are the defaults.
sed 's|^data: data$|data: /var/lib/fingerpost|' config/fingerpost.yaml >"$stage/etc/fingerpost/fingerpost.yaml"

share=$stage/usr/share
install -d "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/vendor-completions" \
    "$share/fish/vendor_completions.d"
deploy/release/manual.py "$binary" "$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)" >"$share/man/man1/fingerpost.1"
gzip -9n "$share/man/man1/fingerpost.1"
# Without the defaults, bash would complete no names of files.
"$binary" --generate-completion-script bash | sed 's/^complete -o filenames /complete -o default -o bashdefault /' \
    >"$share/bash-completion/completions/fingerpost"
"$binary" --generate-completion-script zsh >"$share/zsh/vendor-completions/_fingerpost"
"$binary" --generate-completion-script fish >"$share/fish/vendor_completions.d/fingerpost.fish"

# In the folders of the repository: links between documents, and messages that name a file, are right from here.
docs=$share/doc/fingerpost
find README.md CHANGELOG.md CONTRIBUTING.md LICENSE SECURITY.md docs config deploy -type f \
    ! -path 'deploy/release/*' ! -path 'deploy/debian/*' ! -path '*/.build/*' | while read -r file; do
    install -D -m 0644 "$file" "$docs/$file"
done
# shellcheck disable=SC2086
[ -z "${notices:-}" ] || install -m 0644 -t "$docs" $notices
{
    printf 'fingerpost (%s) unstable; urgency=medium\n\n  * CHANGELOG.md tells what is new.\n\n' "$version"
    echo " -- Fingerpost maintainers <maintainers@fingerpost.invalid>  $(date -uR -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n >"$docs/changelog.gz"
{
    echo 'Copyright 2026 the Fingerpost authors'
    echo 'License: Apache-2.0, the full text is in /usr/share/common-licenses/Apache-2.0'
    [ -z "${notices:-}" ] || echo 'The file NOTICE has the licences of the software that the program contains.'
} >"$docs/copyright"

install -d "$stage/DEBIAN"
# In KiB, as dpkg counts files.
size=$(find "$stage" -type f ! -path '*/DEBIAN/*' -printf '%s\n' | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')
sed "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@SIZE@/$size/" deploy/debian/control >"$stage/DEBIAN/control"
install -m 0644 deploy/debian/conffiles "$stage/DEBIAN/"
install -m 0755 deploy/debian/postinst deploy/debian/prerm deploy/debian/postrm "$stage/DEBIAN/"
# With one thread, xz gives the same bytes on every machine.
dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$stage" "$folder/fingerpost_${version}_$architecture.deb"
