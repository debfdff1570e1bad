# shellcheck shell=sh
# The Swift toolchain and the Debian packages that ./dev needs.

# Checks the Swift toolchain and installs the missing Debian packages.
prepare() {
    check_swift
    [ "$(uname -s)" = Linux ] || return 0
    packages=$(missing_packages "$@" | tr '\n' ' ')
    # Package names have no spaces, so the list may be split into words.
    # shellcheck disable=SC2086
    [ -z "$packages" ] || install_packages $packages
}

check_swift() {
    wanted=$(cat .swift-version)
    command -v swift >/dev/null || fail "Swift $wanted is missing. Install it from https://swift.org/install and put it on the PATH."
    found=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1)
    [ -n "$found" ] || fail "'swift --version' does not work. Reinstall Swift $wanted from https://swift.org/install."
    awk -v wanted="$wanted" -v found="$found" 'BEGIN {
        split(wanted, w, "."); split(found, f, ".")
        for (i = 1; i <= 3; i++) if (f[i] + 0 != w[i] + 0) exit f[i] + 0 < w[i] + 0
    }' || fail "Swift $found is too old: Swift $wanted or newer is needed, from https://swift.org/install."
}

has_command() { command -v "$1" >/dev/null; }

# Some headers are in a folder named after the architecture.
has_header() { ls "/usr/include/$1" "/usr/local/include/$1" /usr/include/*/"$1" 2>/dev/null | grep -q .; }

# Prints one missing package per line. The arguments name tools that are needed in addition to those of every build.
missing_packages() {
    PATH=$PATH:/usr/sbin:/sbin
    has_header sqlite3.h || echo libsqlite3-dev
    has_header zlib.h || echo zlib1g-dev
    has_header maxminddb.h || echo libmaxminddb-dev
    has_header qrencode.h || echo libqrencode-dev
    has_header postgresql/libpq-fe.h || echo libpq-dev
    # Export schedules use named time zones.
    [ -e /usr/share/zoneinfo/Europe/Paris ] || echo tzdata
    for tool in git "$@"; do
        case $tool in
        # Debian packages the venv module separately.
        python3-venv) python3 -c 'import ensurepip' 2>/dev/null ;;
        # The commands of these packages have other names. Some are in directories that are only on root's PATH.
        xfsprogs) has_command xfs_io ;;
        e2fsprogs) has_command mkfs.ext4 ;;
        nginx-light) has_command nginx ;;
        nghttp2-client) has_command nghttp ;;
        node-typescript) has_command tsc ;;
        nodejs) has_command node ;;
        default-jre-headless) has_command java ;;
        default-jdk-headless) has_command javac ;;
        kotlin) has_command kotlinc ;;
        binutils) has_command strip ;;
        systemd-container) has_command systemd-nspawn ;;
        librsvg2-bin) has_command rsvg-convert ;;
        zbar-tools) has_command zbarimg ;;
        postgresql) ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null | grep -q . ;;
        *) has_command "$tool" ;;
        esac || echo "$tool"
    done
    # The dependencies are fetched over HTTPS.
    [ -e /etc/ssl/certs/ca-certificates.crt ] || echo ca-certificates
}

install_packages() {
    by_hand="apt-get install $*"
    command -v apt-get >/dev/null || fail "install the equivalents of these Debian packages: $*"
    if [ "$(id -u)" -eq 0 ]; then
        sudo=''
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        sudo='sudo -n'
    else
        fail "packages are missing, and this user may not install them. Run this, then try again:  sudo $by_hand"
    fi
    say "dev: installing $*"
    apt="$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120"
    {
        $apt update && $apt install -y --no-install-recommends "$@"
    } </dev/null >&2 || fail "apt could not install the packages. Run this, then try again:  $by_hand"
}
