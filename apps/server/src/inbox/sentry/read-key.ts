import type { IncomingHttpHeaders } from "node:http";

/** The SDK key in the head of a Sentry client's request: in `X-Sentry-Auth`, else in `?sentry_key=`. */
export function keyOfHead(headers: IncomingHttpHeaders, url: string): string | undefined {
  const header = headers["x-sentry-auth"]?.toString() ?? "";
  const named = /^Sentry\s+(.*)$/is.exec(header)?.[1] ?? header;
  const [, key] = /(?:^|,)\s*sentry_key\s*=\s*([^,\s]+)/i.exec(named) ?? [];
  return key ?? new URLSearchParams(url.split("?", 2)[1]).get("sentry_key") ?? undefined;
}

/** The SDK key of the DSN in an envelope's header. */
export function keyOfDsn(dsn: unknown): string | undefined {
  if (typeof dsn !== "string" || !URL.canParse(dsn)) return undefined;
  const { username } = new URL(dsn);
  return username === "" ? undefined : username;
}
