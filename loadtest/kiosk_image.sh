#!/bin/sh
# Build the disks of a kiosk in a folder, for `python -m loadtest.plug`: Debian 12, packaging/kiosk.sh, a read-only root.
#
#     sh loadtest/kiosk_image.sh FOLDER   as root, with mmdebstrap and e2fsprogs; takes ten minutes and 8 GB
#
# Packages come from where this machine's apt and pip get theirs. What only the trial needs is a door: the server listens
# on the machine itself alone, so two services pass on what comes in over the virtual cable.
set -eu

sources=$(ls /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null | head -n 1)
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1" && cd "$1"

mmdebstrap --variant=minbase --aptopt='Acquire::Check-Valid-Until "false"' \
    --include=systemd-sysv,linux-image-amd64,e2fsprogs,kmod,udev,iproute2,procps,ca-certificates,socat \
    bookworm root "$sources"

git clone --quiet "$here" root/root/fireside
cp /etc/resolv.conf root/etc/resolv.conf
cp /etc/ssl/certs/ca-certificates.crt root/etc/ssl/certs/
[ -e /etc/pip.conf ] && cp /etc/pip.conf root/etc/pip.conf
for each in $(pip config get global.find-links 2>/dev/null || true) ${PIP_FIND_LINKS:-}; do
    [ -d "$each" ] && mkdir -p "root$each" && cp -rT "$each" "root$each"
done
for each in proc dev; do mount --bind "/$each" "root/$each"; done
trap 'umount root/proc root/dev' EXIT
chroot root sh /root/fireside/packaging/kiosk.sh
printf '' >root/etc/fireside/fireside.toml # anybody may talk: the people of the trial have no tokens

echo kiosk >root/etc/hostname
cat >root/etc/fstab <<'F'
/dev/vda  /                  ext4   ro        0 1
/dev/vdb  /var/lib/fireside  ext4   noatime   0 2
/dev/vdc  /home/kiosk        ext4   noatime   0 2
tmpfs     /tmp               tmpfs  defaults  0 0
tmpfs     /var/log           tmpfs  defaults  0 0
tmpfs     /var/lib/systemd   tmpfs  defaults  0 0
F
door() { # NAME COMMAND
    printf '[Service]\nExecStart=%s\nRestart=always\n[Install]\nWantedBy=multi-user.target\n' "$2" \
        >"root/etc/systemd/system/$1.service"
    chroot root systemctl enable "$1"
}
door trial-cable '/bin/sh -c "ip link set eth0 up; ip addr replace 10.0.2.15/24 dev eth0; exec sleep infinity"'
door trial-door '/usr/bin/socat TCP-LISTEN:9000,fork,reuseaddr TCP:127.0.0.1:8765'
door trial-shell '/usr/bin/socat TCP-LISTEN:9001,fork,reuseaddr EXEC:/bin/sh,stderr'

mkdir -p root/etc/systemd/system/fireside-kiosk.service.d # its virtual screen has no graphics processor
printf '[Service]\nEnvironment=WLR_RENDERER=pixman\n' >root/etc/systemd/system/fireside-kiosk.service.d/trial.conf

rm -rf root/root/fireside home system.img
cp -a root/home/kiosk home
cp root/boot/vmlinuz-* vmlinuz
cp root/boot/initrd.img-* initrd
umount root/proc root/dev && trap - EXIT
mke2fs -q -t ext4 -d root system.img 5G
rm -f data.img home.img
mke2fs -q -t ext4 data.img 1G
mke2fs -q -t ext4 -E "root_owner=$(stat -c %u:%g home)" -d home home.img 512M
echo "built: $PWD"
