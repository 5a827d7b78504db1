import { browserPlatform } from "./browser-platform.ts";
import { createLodgeOn } from "./lodge.ts";
import type { Options } from "./options.ts";
import type { Lodge } from "./types.ts";

export { LodgeError } from "./lodge-error.ts";
export type * from "./options.ts";
export type * from "./types.ts";

/**
 * Creates a `Lodge`, which reports to one app. Throws a `TypeError` for an invalid `ingestUrl` or SDK key. Later errors
 * only reject the promises that the `Lodge` returns.
 */
export const createLodge = <Extra = unknown>(options: Options<Extra>): Lodge & Extra =>
  createLodgeOn(browserPlatform(options.key), options);
