#!/bin/sh
# deploy/debian/build.sh BINARY [FOLDER]: builds fingerpost_VERSION_ARCHITECTURE.deb in FOLDER (default: here) from a
# release binary:
# swift build --configuration release --product fingerpost --static-swift-stdlib
set -eu
[ $# -ge 1 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 64; }
binary=$(realpath "$1")
folder=$(realpath "${2:-.}")
cd "$(dirname "$0")/../.."

version=$("$binary" --version)
architecture=$(dpkg --print-architecture)
stage=$(mktemp -d "${TMPDIR:-/tmp}/fingerpost-deb.XXXXXX")
trap 'rm -rf "$stage"' EXIT
chmod 0755 "$stage"
umask 022

install -D -m 0755 -s "$binary" "$stage/usr/bin/fingerpost"
install -D -m 0644 deploy/fingerpost.service "$stage/lib/systemd/system/fingerpost.service"
install -m 0644 -t "$stage/lib/systemd/system" deploy/fingerpost-backup.service deploy/fingerpost-backup.timer
install -d "$stage/etc/fingerpost"
# Sets the unit's data directory; all other values are the defaults.
sed 's|^data: data$|data: /var/lib/fingerpost|' config/fingerpost.yaml >"$stage/etc/fingerpost/fingerpost.yaml"

docs=$stage/usr/share/doc/fingerpost
install -D -m 0644 -t "$docs" README.md docs/*.md
install -D -m 0644 -t "$docs/decisions" docs/decisions/*.md
install -D -m 0644 -t "$docs/runbooks" deploy/runbooks/*
install -D -m 0644 -t "$docs/prometheus" deploy/prometheus/recording.yaml deploy/prometheus/alerts.yaml
install -D -m 0644 -t "$docs/proxies" deploy/proxies/*
gzip -9n <CHANGELOG.md >"$docs/CHANGELOG.md.gz"
{
    printf 'fingerpost (%s) unstable; urgency=medium\n\n  * CHANGELOG.md.gz tells what is new.\n\n' "$version"
    echo " -- Fingerpost maintainers <maintainers@fingerpost.invalid>  $(date -uR)"
} | gzip -9n >"$docs/changelog.gz"
{
    echo 'Copyright 2026 the Fingerpost authors'
    echo 'License: Apache-2.0, the full text is in /usr/share/common-licenses/Apache-2.0'
} >"$docs/copyright"

install -d "$stage/DEBIAN"
sed "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/" deploy/debian/control >"$stage/DEBIAN/control"
install -m 0644 deploy/debian/conffiles "$stage/DEBIAN/"
install -m 0755 deploy/debian/postinst deploy/debian/prerm deploy/debian/postrm "$stage/DEBIAN/"
dpkg-deb --root-owner-group --build "$stage" "$folder/fingerpost_${version}_$architecture.deb"
