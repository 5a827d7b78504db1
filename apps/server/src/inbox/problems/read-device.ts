import type { Envelope } from "@lodge/contract/envelope";
import Bowser from "bowser";

/** No browser's user agent is longer. Of a longer one the rest is not read. */
const userAgentLengthMax = 500;
const knownBrowsers: ReadonlySet<string> = new Set(Object.values(Bowser.BROWSER_MAP));

/**
 * The browser with its major version, and the operating system with its version, of the device that sent a report. The system
 * is the one that the report names, or else that of the user agent. Null for what is not known.
 */
export function readDevice({ os, osVersion, userAgent }: NonNullable<Envelope["device"]> = {}) {
  const sent = userAgent?.slice(0, userAgentLengthMax);
  const agent = sent ? Bowser.getParser(sent, true) : undefined;
  const { name = "", version } = agent?.getBrowser() ?? {};
  return {
    // Of a user agent that it does not know, the parser returns whatever stands in it.
    browser: knownBrowsers.has(name) ? withMajor(name, version) : null,
    os: os ? withMajor(os, osVersion) : systemOf(agent),
  };
}

const withMajor = (name: string, version = "") => [name, ...(/^\d{1,4}/.exec(version) ?? [])].join(" ");

/** Browsers no longer tell Windows 11 from 10, nor which macOS it is; and those of Android hide it behind the model "K". */
function systemOf(agent: Bowser.Parser.Parser | undefined): string | null {
  const { name, version, versionName } = agent?.getOS() ?? {};
  if (!name) return null;
  if (name === "macOS" || agent?.test(/Android 10; K\)/)) return name;
  if (name === "Windows") return versionName === "10" ? "Windows 10 or 11" : [name, versionName].join(" ").trim();
  return withMajor(name, version);
}
