#!/bin/sh
# Make a kiosk of a Debian 12 without a desktop: Fireside, and its page on the screen, both from the start of the machine.
#
#     sh packaging/kiosk.sh               as root, from a checkout; docs/operating.md says what to do before and after
#
# It can be run again: it then brings Fireside up to date and leaves what is stored alone.
set -eu

[ "$(id -u)" = 0 ] || { echo "kiosk.sh: run it as root" >&2; exit 1; }
cd "$(dirname "$0")/.."

apt-get update --quiet
apt-get install --yes --no-install-recommends \
    python3-venv cage xwayland chromium libgl1-mesa-dri fonts-dejavu-core dbus libpam-systemd polkitd systemd-timesyncd

id fireside >/dev/null 2>&1 || useradd --system --home-dir /var/lib/fireside --shell /usr/sbin/nologin fireside
id kiosk >/dev/null 2>&1 || useradd --create-home --shell /usr/sbin/nologin kiosk
install -d -o kiosk -g kiosk -m 700 /home/kiosk # a new partition belongs to root

[ -d /opt/fireside ] || python3 -m venv /opt/fireside
/opt/fireside/bin/pip install --quiet --require-hashes -r requirements/run.txt
/opt/fireside/bin/pip install --quiet --no-deps --no-build-isolation --force-reinstall .

mkdir -p /etc/fireside /var/lib/fireside
[ -e /etc/fireside/fireside.toml ] || printf '[listen]\nkiosk = true\n' >/etc/fireside/fireside.toml
install -m 644 packaging/fireside.service packaging/fireside-kiosk.service /etc/systemd/system/
mkdir -p /usr/share/doc/fireside
install -m 644 docs/operating.md /usr/share/doc/fireside/
systemctl set-default graphical.target
systemctl enable fireside fireside-kiosk
systemd-machine-id-setup
ln -sf /etc/machine-id /var/lib/dbus/machine-id

echo "Installed. It starts with the machine, or now: systemctl restart fireside fireside-kiosk"
