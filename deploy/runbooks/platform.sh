# shellcheck shell=bash
# Defines the commands of the runbooks for one platform:
#
#   . deploy/runbooks/platform.sh systemd|container|kubernetes
#
#   fp ARGUMENTS      runs `fingerpost` beside the running service, with FINGERPOST_KEY; standard input is passed on
#   fplog SINCE       prints the log since 10m, 2h or 1d ago
#   fpsh 'COMMAND'    runs a shell command where the data directory is, also after fpstop. With Kubernetes, a pod that
#                     exits at once has no shell: call fpstop first.
#   fpstatus          prints whether the service runs, and its last exit code
#   fpstop, fpstart   stop and start the service
#   fpforward         makes the ports available on 127.0.0.1 of this machine, for curl; again after fpstart
#
# DATA is the data directory, BACKUPS the directory of backups, and ASIDE a place for files that are moved away, all as
# fpsh sees them. Other names of the service: set FP_UNIT, FP_CONTAINER, or FP_NAMESPACE and FP_POD before.

DATA=/var/lib/fingerpost
BACKUPS=/var/lib/fingerpost-backups
ASIDE=$BACKUPS/aside
case ${1:-} in
systemd)
    FP_UNIT=${FP_UNIT:-fingerpost}
    ASIDE=/var/lib/private/fingerpost.aside
    fp() { fingerpost "$@"; }
    fplog() { journalctl --unit "$FP_UNIT" --output cat --no-pager --since "-$1"; }
    fpsh() { bash -c "$1"; }
    fpstatus() { systemctl show --property ActiveState,ExecMainStatus,NRestarts "$FP_UNIT"; }
    fpstop() { systemctl stop "$FP_UNIT"; }
    fpstart() { systemctl start "$FP_UNIT"; }
    fpforward() { :; }
    ;;
container)
    FP_CONTAINER=${FP_CONTAINER:-fingerpost}
    fp() { docker exec --interactive --env FINGERPOST_KEY "$FP_CONTAINER" fingerpost "$@"; }
    fplog() { docker logs --since "$1" "$FP_CONTAINER" 2>&1; }
    fpsh() {
        docker run --rm --interactive --volumes-from "$FP_CONTAINER" --entrypoint bash \
            "$(docker inspect --format '{{.Config.Image}}' "$FP_CONTAINER")" -c "$1"
    }
    fpstatus() { docker inspect --format '{{.State.Status}} exit={{.State.ExitCode}} restarts={{.RestartCount}}' "$FP_CONTAINER"; }
    fpstop() { docker stop --time 90 "$FP_CONTAINER"; }
    fpstart() { docker start "$FP_CONTAINER"; }
    # `podman run --publish` in docs/install.md publishes the public and the ops port already.
    fpforward() { :; }
    ;;
kubernetes)
    FP_NAMESPACE=${FP_NAMESPACE:-fingerpost} FP_POD=${FP_POD:-fingerpost-0}
    FP_MANIFEST=$(dirname "${BASH_SOURCE[0]}")/maintenance-pod.yaml
    fpkubectl() { kubectl --namespace "$FP_NAMESPACE" "$@"; }
    # The key goes through standard input, because the cluster's audit log has the arguments.
    # shellcheck disable=SC2016
    fp() {
        { printf '%s\n' "${FINGERPOST_KEY:-}"; [ -t 0 ] || cat; } | fpkubectl exec --stdin "$FP_POD" -- \
            bash -c 'read -r FINGERPOST_KEY; export FINGERPOST_KEY; exec fingerpost "$@"' bash "$@"
    }
    fplog() { fpkubectl logs --since "$1" "$FP_POD"; }
    # While the service is stopped, the pod of maintenance-pod.yaml has the volume.
    fpsh() {
        if fpkubectl get pod fingerpost-maintenance >/dev/null 2>&1
        then fpkubectl exec --stdin fingerpost-maintenance -- bash -c "$1"
        else fpkubectl exec --stdin "$FP_POD" -- bash -c "$1"
        fi
    }
    fpstatus() {
        fpkubectl get pod "$FP_POD" --output jsonpath='{.status.phase} {.status.containerStatuses[0]}{"\n"}'
    }
    fpstop() {
        image=$(fpkubectl get statefulset "${FP_POD%-*}" --output jsonpath='{.spec.template.spec.containers[0].image}')
        fpkubectl scale statefulset "${FP_POD%-*}" --replicas 0
        fpkubectl wait --for delete "pod/$FP_POD" --timeout 120s
        sed "s|image: .*|image: $image|" "$FP_MANIFEST" | fpkubectl apply --filename -
        fpkubectl wait --for condition=Ready pod/fingerpost-maintenance --timeout 120s
    }
    fpstart() {
        fpkubectl delete pod fingerpost-maintenance --ignore-not-found --wait
        fpkubectl scale statefulset "${FP_POD%-*}" --replicas 1
    }
    fpforward() {
        fpkubectl wait --for 'jsonpath={.status.phase}=Running' "pod/$FP_POD" --timeout 120s >/dev/null
        fpkubectl port-forward "pod/$FP_POD" 8080 8081 8082 >/dev/null &
    }
    ;;
*) echo 'usage: . platform.sh systemd|container|kubernetes' >&2 ;;
esac
