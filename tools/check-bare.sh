#!/usr/bin/env bash
# What a newcomer gets: the README's two commands and the packages in a minimal Debian 12 made for it, from a clone of
# what is committed. Nothing is installed there but git and what the commands install themselves. To be run
# before a release, as root, with mmdebstrap installed; takes half an hour on two cores and 5 GB.
#
#     tools/check-bare.sh [COMMAND ...]     default: tools/try.sh tools/check.sh tools/check-package.sh
#
# Environment: BARE_ROOT  a directory to make the system in, or one that holds it; kept (default: a temporary one)
#              BARE_APT   where packages come from, a file as in /etc/apt/sources.list.d (default: Debian's mirrors)
#              BARE_CONF  a file of apt's settings, such as for a proxy
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || {
    echo "check-bare: to be run as root, which alone can change to another root" >&2
    exit 2
}
# What is mounted below is for this script to see, and for nobody else.
[ -n "${BARE_UNSHARED:-}" ] || BARE_UNSHARED=1 exec unshare --mount --propagation private tools/check-bare.sh "$@"
[ $# -gt 0 ] || set -- tools/try.sh tools/check.sh tools/check-package.sh

root=${BARE_ROOT:-$(mktemp -d /var/tmp/tilewise-bare.XXXXXX)}
mounted=()
clean() {
    for ((i = ${#mounted[@]} - 1; i >= 0; i--)); do
        umount --lazy "${mounted[i]}"
    done
    # Never into what may still be mounted.
    [ -n "${BARE_ROOT:-}" ] || rm -rf --one-file-system "$root"
}
trap clean EXIT
trap 'exit 130' INT TERM

if [ ! -e "$root/etc/debian_version" ]; then
    command -v mmdebstrap > /dev/null || {
        echo "check-bare: there is no mmdebstrap; apt-get install mmdebstrap" >&2
        exit 2
    }
    echo "== a minimal Debian 12 in $root"
    settings=()
    [ -z "${BARE_CONF:-}" ] || settings=("--aptopt=$BARE_CONF")
    mmdebstrap --quiet --variant=apt --include=ca-certificates,git "${settings[@]}" bookworm "$root" \
        ${BARE_APT:+"$BARE_APT"}
fi

mount_in() {
    local at=$root/${*: -1}
    mkdir -p "$at"
    mount "${@:1:$#-1}" "$at"
    mounted+=("$at")
}
mount_in -t proc proc proc
mount_in -t sysfs -o ro sysfs sys
mount_in --bind /dev dev
mount_in -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
mount_in -t tmpfs tmpfs dev/shm
cp --dereference /etc/resolv.conf "$root/etc/resolv.conf"

rm -rf "$root/root/tilewise"
git clone --quiet --no-hardlinks . "$root/root/tilewise"
echo "== $(git -C "$root/root/tilewise" log -1 --format='%h %s')"

summary=()
failed=0
for command; do
    start=$SECONDS verdict=passed
    echo "== $command"
    # Nothing of this machine's environment comes along.
    chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        bash -c "cd ~/tilewise && $command" || verdict=FAILED failed=1
    summary+=("$(printf '%-28s %-6s %5d s' "$command" "$verdict" $((SECONDS - start)))")
done
echo
printf '%s\n' "${summary[@]}"
exit $failed
