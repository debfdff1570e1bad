#!/usr/bin/env bash
# Checks the files in this folder with the tools that read them: deploy/check.sh [BINARY]
#
# With BINARY (.build/debug/fingerpost), starts a server on loopback, compares the metrics that rules and dashboard name
# with its answer, and sends real requests through each proxy. A missing tool is reported as SKIPPED. The tools are
# Debian's packages systemd, prometheus, nginx-light, haproxy and caddy, and kubernetes-validate from PyPI.
set -Eeuo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

binary=${1:+$(cd - >/dev/null && realpath "$1")}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/fingerpost-deploy.XXXXXX")
started=()
finish() {
    [ ${#started[@]} -eq 0 ] || kill -TERM "${started[@]}" 2>/dev/null || :
    wait
    rm -rf "$scratch"
}
trap finish EXIT
trap 'echo "deploy/check.sh: line $LINENO failed: $BASH_COMMAND" >&2' ERR

fail() { echo "deploy/check.sh: $*" >&2; exit 1; }
skip() { echo "SKIPPED: $*"; }
has() { command -v "$1" >/dev/null; }
# Some of the tools are in directories that are only on root's PATH.
PATH=$PATH:/usr/sbin:/sbin

# --- systemd ---------------------------------------------------------------------------------------------------------

check_unit() {
    has systemd-analyze || { skip 'systemd-analyze is missing (package systemd).'; return; }
    systemd-analyze security --offline=true --threshold=20 --no-pager fingerpost.service >"$scratch/unit" \
        || fail "the unit is exposed above 2.0: $(cat "$scratch/unit")"
    tail -n 1 "$scratch/unit"
    # The binary is not installed at that path here.
    systemd-analyze verify fingerpost.service fingerpost-backup.service fingerpost-backup.timer 2>&1 \
        | grep -v 'is not executable' >&2 && fail 'a unit is not valid.'
    echo 'the units are valid'
}

# --- Compose ---------------------------------------------------------------------------------------------------------

check_compose() {
    docker compose version >/dev/null 2>&1 || { skip 'docker compose is missing.'; return; }
    docker compose --file compose.yaml config --quiet || fail 'compose.yaml is not valid.'
    echo compose.yaml
}

# --- Kubernetes ------------------------------------------------------------------------------------------------------

kubernetes_validate=1.37.0

check_kubernetes() {
    tools=../.build/kubernetes-validate-$kubernetes_validate
    if [ ! -x "$tools/bin/kubernetes-validate" ]; then
        rm -rf "$tools"
        if ! python3 -m venv "$tools" || ! "$tools/bin/pip" install --quiet "kubernetes-validate==$kubernetes_validate"; then
            rm -rf "$tools"
            skip "kubernetes-validate $kubernetes_validate could not be installed; it needs python3-venv and PyPI."
            return
        fi
    fi
    for manifest in kubernetes/*.yaml runbooks/maintenance-pod.yaml; do
        # kustomization.yaml is not a Kubernetes resource, so there is no schema for it.
        [ "$manifest" != kubernetes/kustomization.yaml ] || continue
        # The runbooks create this pod only while the service is stopped.
        [ "$manifest" = runbooks/maintenance-pod.yaml ] || grep -q "^  - ${manifest#*/}$" kubernetes/kustomization.yaml \
            || fail "$manifest is missing in kustomization.yaml."
        for version in 1.29 1.37; do
            "$tools/bin/kubernetes-validate" --strict --quiet --no-warn --kubernetes-version $version "$manifest" \
                || fail "$manifest does not fit Kubernetes $version."
        done
        echo "$manifest"
    done
}

# --- runbooks ---------------------------------------------------------------------------------------------------------

# Every command of the runbooks exists on every platform, and reaches its tool with the right words.
check_runbooks() {
    for platform in systemd container kubernetes; do
        (
            # shellcheck source=deploy/runbooks/platform.sh
            . runbooks/platform.sh $platform
            for tool in systemctl journalctl docker kubectl fingerpost; do
                eval "$tool() { echo $tool \"\$@\" >>'$scratch/calls'; cat >/dev/null; }"
            done
            : >"$scratch/calls"
            for command in 'fp keys list' 'fplog 10m' fpstatus fpstop fpstart; do
                $command </dev/null >/dev/null || fail "platform.sh $platform: $command fails."
            done
            [ -n "$(fpsh 'echo yes' </dev/null)$(cat "$scratch/calls")" ] || fail "platform.sh $platform: fpsh does nothing."
            [ -n "$DATA$BACKUPS$ASIDE" ] && type fpforward >/dev/null || fail "platform.sh $platform lacks a definition."
            # Keys must not become arguments.
            FINGERPOST_KEY=fp_secret
            fp revisions list shop </dev/null
            ! grep -q fp_secret "$scratch/calls" || fail "platform.sh $platform shows the key in its arguments."
        ) || exit 1
    done
    for page in runbooks/*.md; do
        { grep -oE '\bfp[a-z]+\b' "$page" || :; } | sort -u | while read -r name; do
            grep -qE "^ *$name\(\)" runbooks/platform.sh || fail "$page uses $name, which platform.sh does not define."
        done
    done
    # With Kubernetes, a pod that exits at once has no shell: these pages use fpsh only between fpstop and fpstart.
    for page in runbooks/corrupt-file.md runbooks/restore.md; do
        awk '/^ *fpstop/ { stopped = 1 } /^ *fpstart/ { stopped = 0 } /^ *fpsh/ && !stopped { print; early = 1 } END { exit early }' \
            "$page" || fail "$page uses fpsh while the service may not run; stop it with fpstop first."
    done
    # fpforward and docs/deployment.md make these ports available, and no others.
    ! grep -nE '127\.0\.0\.1:[0-9]' runbooks/*.md | grep -vE ':808[012]([^0-9]|$)' \
        || fail 'a runbook uses a port of 127.0.0.1 that fpforward does not make available.'
    echo 'the commands of the runbooks are defined for systemd, container and kubernetes'
}

# --- Prometheus and Grafana ------------------------------------------------------------------------------------------

check_prometheus() {
    has promtool || { skip 'promtool is missing (package prometheus).'; return; }
    (cd prometheus && promtool check config --syntax-only scrape.yaml && promtool check rules recording.yaml alerts.yaml \
        && promtool test rules tests.yaml) >"$scratch/rules" 2>&1 || fail "Prometheus refuses the rules: $(cat "$scratch/rules")"
    grep -E 'rules found' "$scratch/rules"
    echo 'the tests of the rules pass'
}

check_metrics() {
    live=()
    if [ -n "${ops:-}" ]; then
        curl --silent --show-error --fail "$ops/metrics" >"$scratch/metrics"
        live=("$scratch/metrics")
        # promtool's findings are advice on names and help texts; only a parse error fails.
        if has promtool; then
            promtool check metrics <"$scratch/metrics" >"$scratch/lint" 2>&1 || [ $? -eq 3 ] \
                || fail "promtool cannot read /metrics: $(cat "$scratch/lint")"
            echo "promtool on /metrics: $(wc -l <"$scratch/lint") remarks"
        fi
    else
        skip 'no server to ask for /metrics; name the binary.'
    fi
    python3 check-metrics.py "${live[@]}"
}

# --- the server, and the proxies before it ---------------------------------------------------------------------------

address_of() {
    for _ in $(seq 600); do
        address=$(sed -n "s|^$1  *\(http://[0-9.:]*\)\$|\1|p" "$scratch/out")
        [ -z "$address" ] || break
        sleep 0.1
    done
    printf '%s' "$address"
}

start_server() {
    [ -n "$binary" ] || { skip 'no binary is named: nothing is asked of a running server.'; return; }
    sed '1,/fingerpost.yaml: |/d; s/^    //' kubernetes/configmap.yaml >"$scratch/configmap.yaml"
    "$binary" config --config "$scratch/configmap.yaml" >"$scratch/configuration" \
        || fail 'the binary does not take the configuration of kubernetes/configmap.yaml.'
    FINGERPOST_TRUSTED_PROXIES=127.0.0.1 "$binary" serve --demo --data "$scratch/data" --public 127.0.0.1:0 --admin 127.0.0.1:0 --ops 127.0.0.1:0 \
        >"$scratch/out" 2>"$scratch/log" &
    started+=($!)
    public=$(address_of public) admin=$(address_of admin) ops=$(address_of ops)
    [ -n "$public" ] && [ -n "$ops" ] || fail "the server did not start: $(cat "$scratch/log")"
    curl --silent --fail "$public/resolve" --data '{"url":"yourapp://product/123"}' >/dev/null
    echo "a server answers at $public"
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# adapt FILE: prints the file adapted to this machine: loopback, free ports, fewer descriptors, a generated certificate,
# and the address of the started server.
adapt() {
    sed -E -e "s#/etc/ssl/fingerpost/(fullchain|privkey).pem#$scratch/certificate/\1.pem#; s#/etc/ssl/fingerpost/#$scratch/both/#" \
        -e "s|listen \[::\].*;||; s|listen 80;|listen 127.0.0.1:$plain;|; s|listen 443|listen 127.0.0.1:$secure|" \
        -e "s|bind :443|bind 127.0.0.1:$secure|; s|127.0.0.1:8080|${public#http://}|; s|check port 8082|check port ${ops##*:}|" \
        -e "s|maxconn 20000|maxconn 1000|" \
        -e "s|server_name .*|server_name go.example.com farechoice.taxi go.yourappdomain.com;|" "$1"
}

make_certificate() {
    mkdir -p "$scratch/certificate" "$scratch/both"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=go.example.com \
        -addext 'subjectAltName=DNS:go.example.com,DNS:farechoice.taxi' \
        -keyout "$scratch/certificate/privkey.pem" -out "$scratch/certificate/fullchain.pem" 2>/dev/null
    cat "$scratch/certificate/fullchain.pem" "$scratch/certificate/privkey.pem" >"$scratch/both/all.pem"
}

check_nginx() {
    has nginx || { skip 'nginx is missing (package nginx-light).'; return; }
    {
        echo "daemon off; pid $scratch/nginx.pid; error_log stderr; events {} http { access_log off;"
        for kind in client_body proxy fastcgi uwsgi scgi; do echo "${kind}_temp_path $scratch/nginx-$kind;"; done
        adapt proxies/nginx.conf
        echo '}'
    } >"$scratch/nginx.conf"
    nginx -t -q -c "$scratch/nginx.conf" 2>"$scratch/nginx.log" || fail "nginx refuses nginx.conf: $(cat "$scratch/nginx.log")"
    nginx -c "$scratch/nginx.conf" 2>"$scratch/nginx.log" &
    started+=($!)
    ask_through nginx
}

check_haproxy() {
    has haproxy || { skip 'haproxy is missing (package haproxy).'; return; }
    adapt proxies/haproxy.cfg >"$scratch/haproxy.cfg"
    haproxy -c -q -f "$scratch/haproxy.cfg" >"$scratch/haproxy.log" 2>&1 \
        || fail "haproxy refuses haproxy.cfg: $(cat "$scratch/haproxy.log")"
    haproxy -f "$scratch/haproxy.cfg" >"$scratch/haproxy.log" 2>&1 &
    started+=($!)
    ask_through haproxy
}

check_caddy() {
    has caddy || { skip 'caddy is missing (package caddy).'; return; }
    HOME=$scratch caddy validate --config proxies/Caddyfile --adapter caddyfile >"$scratch/caddy.log" 2>&1 \
        || fail "Caddy refuses the Caddyfile: $(cat "$scratch/caddy.log")"
    certificate=$scratch/certificate
    adapt proxies/Caddyfile | sed \
        -e "0,/^{/s|^{|{\n\tadmin off\n\tauto_https off\n\thttp_port $plain|" \
        -e "s|^go.example.com, .* {|https://:$secure {\n\tbind 127.0.0.1\n\ttls $certificate/fullchain.pem $certificate/privkey.pem|" \
        >"$scratch/Caddyfile"
    HOME=$scratch caddy run --config "$scratch/Caddyfile" --adapter caddyfile >"$scratch/caddy.log" 2>&1 &
    started+=($!)
    ask_through caddy
}

# Prints the parts of an answer that must be the same with and without the proxy.
gist() {
    curl --silent --insecure --max-time 10 --path-as-is --header 'X-Request-ID: deploy' \
        --output "$scratch/body" --write-out '%{http_code} %{redirect_url} ' "$@" \
        && sha256sum <"$scratch/body"
}

# ask_through NAME: checks that the proxy passes association files unchanged and without redirects, leaves Host and path
# unchanged, and limits the size of bodies.
ask_through() {
    edge=(--resolve "farechoice.taxi:$secure:127.0.0.1" --resolve "go.example.com:$secure:127.0.0.1")
    for _ in $(seq 600); do
        curl --silent --insecure --output /dev/null "${edge[@]}" "https://go.example.com:$secure/" && break
        sleep 0.1
    done
    for link in farechoice.taxi/.well-known/{apple-app-site-association,assetlinks.json,nothing} \
        farechoice.taxi/apple-app-site-association go.yourappdomain.com/{,product/1,nothing} \
        'go.yourappdomain.com//a//b/%2e%2e/c' 'go.yourappdomain.com/terms%2Fx?x=%0A&y=a+b' unknown.example/; do
        host=${link%%/*} path=/${link#*/}
        straight=$(gist --header "Host: $host" "$public$path")
        through=$(gist "${edge[@]}" --header "Host: $host" "https://go.example.com:$secure$path")
        [ "$straight" = "$through" ] || fail "$1 changes $link: $straight became $through ($(cat "$scratch/$1.log"))"
    done
    association=https://farechoice.taxi:$secure/.well-known/apple-app-site-association
    case $(gist "${edge[@]}" --header 'Host: farechoice.taxi' "$association") in
    200*) ;;
    *) fail "$1 does not pass the association file on." ;;
    esac
    answer=$(curl --silent --insecure "${edge[@]}" "https://go.example.com:$secure/resolve" \
        --data '{"url":"yourapp://product/123"}')
    case $answer in
    *'"screen":"ProductDetail"'*) ;;
    *) fail "$1 does not pass POST /resolve on, but answers: $answer" ;;
    esac
    # The client uses another local address and claims a third one in its header. The event must have the address that
    # the proxy saw.
    curl --silent --insecure --interface 127.9.9.9 --header 'X-Forwarded-For: 198.51.100.1' "${edge[@]}" \
        "https://go.example.com:$secure/resolve" --data '{"url":"yourapp://product/123"}' >/dev/null
    event=$(curl --silent --fail --header "Authorization: Bearer $(sed -n 's/^ *export FINGERPOST_KEY=//p' "$scratch/out")" \
        "$admin/admin/v1/tenants/shop/events?limit=1")
    case $event in
    *'"127.9.9.0/24"'*) ;;
    *) fail "$1 does not tell who asks: $event" ;;
    esac
    head -c 300000 /dev/zero >"$scratch/large"
    # HAProxy answers and closes the connection while curl still sends, so curl may miss the answer; HAProxy's log has
    # it. Fingerpost refuses the same body and may close before Caddy has reached its own limit; Caddy then answers 502.
    code=$(curl --silent --insecure --output /dev/null --write-out '%{http_code}' "${edge[@]}" \
        --data-binary "@$scratch/large" "https://go.example.com:$secure/resolve") || :
    case $1-$code in
    *-413 | caddy-502) ;;
    *) grep -q ' 413 ' "$scratch/$1.log" || fail "$1 answers a body of 300 KB with $code, not 413." ;;
    esac
    echo "$1: association files, Host, paths and client passed on; POST /resolve; 300 KB refused"
}

check_proxies() {
    [ -n "${public:-}" ] || { skip 'the proxies have no server to ask.'; return; }
    make_certificate
    for proxy in nginx haproxy caddy; do
        plain=$(free_port) secure=$(free_port)
        "check_$proxy"
    done
}

for part in unit compose kubernetes runbooks prometheus; do "check_$part"; done
start_server
check_metrics
check_proxies
echo 'deploy/: all of it is well'
