import type { Problem } from "@lodge/contract/errors";
import { appSettingsBytesMax } from "@lodge/contract/limits";

const settingsDepthMax = 20;
const schemeAndHost = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/;

/**
 * Validates the origins and the free-form settings of an app. An origin is a scheme, a host and a port as browsers send
 * them. Settings are at most 16 KiB of JSON that the database can store, at most 20 levels deep.
 */
export function problemsOfApp({ origins = [], settings }: { origins?: string[]; settings?: object }): Problem[] {
  return [
    ...origins.flatMap((origin, index) =>
      isOrigin(origin)
        ? []
        : [
            {
              path: `/origins/${index}`,
              message: "must be an origin, such as https://app.example",
            },
          ],
    ),
    ...(settings === undefined ? [] : problemsOfSettings(settings)),
  ];
}

/**
 * For schemes that URL parsers know, requires the canonical spelling; other schemes, such as those of web views, pass
 * by their form alone.
 */
function isOrigin(text: string): boolean {
  if (!schemeAndHost.test(text)) return false;
  const { origin } = URL.parse(text) ?? {};
  return origin === text || origin === "null";
}

function problemsOfSettings(settings: object): Problem[] {
  for (let level: unknown[] = [settings], depth = 0; level.length > 0; depth++) {
    if (depth > settingsDepthMax) return [{ path: "/settings", message: "must not be more than 20 levels deep" }];
    const texts = level.flatMap((value) =>
      typeof value === "string" ? [value] : value !== null && typeof value === "object" ? Object.keys(value) : [],
    );
    if (texts.some((text) => text.includes("\0") || !text.isWellFormed()))
      return [{ path: "/settings", message: "must not contain NUL characters or unpaired surrogates" }];
    level = level.flatMap((value) => (value !== null && typeof value === "object" ? Object.values(value) : []));
  }
  return Buffer.byteLength(JSON.stringify(settings)) <= appSettingsBytesMax
    ? []
    : [{ path: "/settings", message: "must be at most 16 KiB of JSON" }];
}
