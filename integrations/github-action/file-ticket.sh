#!/bin/sh
# Files a ticket about a failed job, or resolves it if the job succeeded. Only logs errors, and
# never fails the job. The GitHub Action and the GitLab component run the same script.
set -uf
say() {
  said=$(printf %s "$*" | tr '\r\n' '  ')
  if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::warning title=Lodge::$said"; else echo "Lodge: $said"; fi
}
main() {
  case "$LODGE_STATUS" in
    success) colour=green ;;
    failure | failed) colour=red ;;
    *) say "No ticket: the job status is $LODGE_STATUS, which is neither failure nor success"; return ;;
  esac
  if [ -z "${LODGE_TOKEN:-}" ]; then say "No ticket: there is no token. Pull requests from forks get no secrets"; return; fi
  if [ -z "${LODGE_URL:-}" ]; then say "No ticket: the URL of the Lodge server is not set"; return; fi
  folder=$(mktemp -d) || return
  trap 'rm -rf "$folder"' EXIT
  export LODGE_FILE="$folder/lodge.mjs"
  node -e '
    const { writeFileSync } = require("node:fs");
    const { createHash } = require("node:crypto");
    (async () => {
      const answer = await fetch(process.env.LODGE_URL.replace(/\/+$/, "") + "/lodge.mjs", { signal: AbortSignal.timeout(60000) });
      if (!answer.ok) throw new Error("the server responded with " + answer.status);
      const bytes = Buffer.from(await answer.arrayBuffer());
      const sum = createHash("sha256").update(bytes).digest("hex");
      if (sum !== process.env.LODGE_SHA256.toLowerCase()) {
        throw new Error("lodge.mjs has the SHA-256 " + sum + ", not the pinned " + process.env.LODGE_SHA256 + ". After an upgrade of the server, use the release of the same version, or pin the checksum that the server shows on /docs");
      }
      writeFileSync(process.env.LODGE_FILE, bytes);
    })().catch((error) => { console.log(error.cause ? error.message + ": " + error.cause.message : error.message); process.exit(1); });
  ' >"$folder/said" || { say "No ticket: $(cat "$folder/said")"; return; }
  set -- ticket create --fail-never --title="$LODGE_TITLE is $colour" --problem="$LODGE_PROBLEM"
  for option in project board column; do
    value=$(printenv "LODGE_$option") || continue
    if [ -n "$value" ]; then set -- "$@" "--$option=$value"; fi
  done
  if [ "$colour" = green ]; then set -- "$@" --resolved; else
    if [ -n "${LODGE_DESCRIPTION_FILE:-}" ]; then set -- "$@" --description-file="$LODGE_DESCRIPTION_FILE"; fi
    for label in ${LODGE_LABELS:-}; do set -- "$@" --label="$label"; done
  fi
  node "$LODGE_FILE" "$@"
}
main
exit 0
