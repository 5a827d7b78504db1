#!/bin/sh
# Installs the Debian packages that the tests run, where they are missing: browsers for those of the dashboard and the
# SDK, the proxies and the checks of systemd and Prometheus for those of deploy/, a server for e-mail, the sandbox of runs,
# Redis, pgbouncer, Ceph with its gateway that speaks S3, the languages of the examples, and clients of Sentry's.
set -eu

# Where nginx lies, which is not in the PATH of every user.
PATH=$PATH:/usr/sbin
missing=
for wanted in chromium-headless-shell firefox-esr nginx:nginx-light caddy systemd-analyze:systemd aiosmtpd:python3-aiosmtpd bwrap:bubblewrap git go:golang-go ruby promtool:prometheus redis-server pgbouncer radosgw ceph-mon ceph-osd; do
  command -v "${wanted%%:*}" >/dev/null || missing="$missing ${wanted##*:}"
done
gems=/usr/share/rubygems-integration/all/gems
for wanted in /usr/lib/python3/dist-packages/sentry_sdk:python3-sentry-sdk "$gems/sentry-ruby-[0-9]*:ruby-sentry-ruby" "$gems/sentry-raven-*:ruby-sentry-raven" /usr/share/gocode/src/github.com/getsentry/sentry-go:golang-github-getsentry-sentry-go-dev; do
  # shellcheck disable=SC2086 # a pattern
  ls -d ${wanted%%:*} >/dev/null 2>&1 || missing="$missing ${wanted##*:}"
done
[ -n "$missing" ] || exit 0

as_root=$([ "$(id -u)" = 0 ] || echo "sudo -n")
if command -v apt-get >/dev/null && $as_root true; then
  echo "Installing for the tests (once):$missing …" >&2
  # A package that serves by itself, as nginx and Caddy do, is not started on a machine that only tests.
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    trap '$as_root rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" >/dev/null
    $as_root chmod +x "$policy"
  fi
  $as_root apt-get update >/dev/null
  # shellcheck disable=SC2086 # a word for each package
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $missing >/dev/null
else
  echo "The tests need these Debian packages, and they cannot be installed from here:$missing." >&2
  echo "Install them as root (apt-get install$missing), then run the command again." >&2
  exit 1
fi
