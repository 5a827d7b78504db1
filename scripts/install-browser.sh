#!/bin/sh
# Installs the browser that the tests of the dashboard drive, where it is missing: Debian's Chromium.
set -eu
[ -x /usr/bin/chromium ] && exit 0

as_root=$([ "$(id -u)" = 0 ] || echo "sudo -n")
if command -v apt-get >/dev/null && $as_root true; then
  echo "Installing Chromium for the dashboard's tests (once) …" >&2
  export DEBIAN_FRONTEND=noninteractive
  $as_root apt-get update >/dev/null
  $as_root apt-get install --yes chromium >/dev/null
else
  echo "The dashboard's tests need Chromium at /usr/bin/chromium, and it cannot be installed from here." >&2
  echo "Install it as root (Debian: apt-get install chromium), then run the command again." >&2
  exit 1
fi
