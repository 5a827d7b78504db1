import { BlockList, isIP } from "node:net";
import { availableParallelism } from "node:os";
import { readHosts } from "./read-hosts.ts";

// Each function parses the text of a setting, and returns undefined if it is invalid.

/** A whole number within bounds. */
export function integerBetween(text: string, min: number, max: number): number | undefined {
  const value = Number(text);
  return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined;
}

/** A number from 0 to 1. */
export const ratio = (text: string) => (/^(0?\.\d+|0|1(\.0+)?|0\.0+)$/.test(text) ? Number(text) : undefined);

/** A number of processes, or `auto` for the number of cores. */
export const processCount = (text: string) => (text === "auto" ? availableParallelism() : integerBetween(text, 1, 64));

/** The name of a bucket. */
export const bucketName = (text: string) => (/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text) ? text : undefined);

/** An IP address or the name of a host. */
export const hostName = (text: string) => (isIP(text) !== 0 || /^[A-Za-z0-9.-]+$/.test(text) ? text : undefined);

/** A secret that is long enough. */
export const longSecret = (text: string) => (text.length >= 32 ? text : undefined);

/** An http or https address without query, user or trailing slash. */
export function httpUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !["http:", "https:"].includes(url.protocol) || url.search || url.hash || url.username) return undefined;
  return url.href.replace(/\/+$/, "");
}

/** The same, with scheme, host and port only. */
export function originUrl(text: string): string | undefined {
  const url = httpUrl(text);
  return url === URL.parse(text)?.origin ? url : undefined;
}

/** The address of a PostgreSQL, of one host or several. */
export const postgresUrl = (text: string) => (readHosts(text) ? text : undefined);

/** The address of a Redis or Valkey, or of a cluster of them. */
export const redisUrl = (text: string) => (/^(rediss?|redis\+cluster):\/\/[^\s/]+/.test(text) ? text : undefined);

/** The address of a mail server. */
export function smtpUrl(text: string): string | undefined {
  const url = URL.parse(text);
  return url && ["smtp:", "smtps:"].includes(url.protocol) && url.hostname ? text : undefined;
}

/** An e-mail address, with or without a name. */
export const mailAddress = (text: string) =>
  /^([^<>\p{Cc}]+<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/u.test(text) ? text : undefined;

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration such as 5s, in milliseconds. */
export function durationMs(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  const ms = Number(count) * unitMs[unit as keyof typeof unitMs];
  return ms >= 100 && ms <= 7 * unitMs.d ? ms : undefined;
}

/** One to twenty durations. */
export function durationList(text: string): number[] | undefined {
  const waits = text.split(",").map(durationMs);
  return waits.length <= 20 && waits.every((ms) => ms !== undefined) ? waits : undefined;
}

/** Addresses and CIDR networks. */
export function networkList(text: string): string[] | undefined {
  const networks = text.split(",").map((network) => network.trim());
  return networks.every(isNetwork) ? networks : undefined;
}

function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  try {
    if (!/^\d+$/.test(prefix)) return false;
    new BlockList().addSubnet(address, Number(prefix), family === 6 ? "ipv6" : "ipv4");
    return true;
  } catch {
    return false;
  }
}
