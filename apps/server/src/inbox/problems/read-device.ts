import type { Envelope } from "@lodge/contract/envelope";
import Bowser from "bowser";

/** No browser's user agent is longer. The rest of a longer one is ignored. */
const userAgentLengthMax = 500;
const knownBrowsers: ReadonlySet<string> = new Set(Object.values(Bowser.BROWSER_MAP));

/**
 * The browser with its major version and the operating system with its version, of the device that sent a report. The
 * system is the one that the report names, else that of the user agent. Null for what is not known.
 */
export function readDevice({ os, osVersion, userAgent }: NonNullable<Envelope["device"]> = {}) {
  const sent = userAgent?.slice(0, userAgentLengthMax);
  const agent = sent ? Bowser.getParser(sent, true) : undefined;
  const { name = "", version } = agent?.getBrowser() ?? {};
  return {
    // For a user agent that it does not know, the parser returns arbitrary parts of it.
    browser: knownBrowsers.has(name) ? withMajor(name, version) : null,
    os: os ? withMajor(os, osVersion) : systemOf(agent),
  };
}

const withMajor = (name: string, version = "") => [name, ...(/^\d{1,4}/.exec(version) ?? [])].join(" ");

/** Browsers no longer tell Windows 11 from 10, or one macOS from another, and on Android they send the model "K". */
function systemOf(agent: Bowser.Parser.Parser | undefined): string | null {
  const { name, version, versionName } = agent?.getOS() ?? {};
  if (!name) return null;
  if (name === "macOS" || agent?.test(/Android 10; K\)/)) return name;
  if (name === "Windows") return versionName === "10" ? "Windows 10 or 11" : [name, versionName].join(" ").trim();
  return withMajor(name, version);
}
