import { browserPlatform } from "./browser-platform.ts";
import { createLodgeOn } from "./lodge.ts";
import type { Options } from "./options.ts";
import type { Lodge } from "./types.ts";

export { LodgeError } from "./lodge-error.ts";
export type * from "./options.ts";
export type * from "./types.ts";

/**
 * Makes what reports to one app. Throws a `TypeError` for an `ingestUrl` or a key that is not an SDK key; whatever goes wrong
 * later reaches nobody but those who listen to the promises of the `Lodge`.
 */
export const createLodge = <Extra = unknown>(options: Options<Extra>): Lodge & Extra =>
  createLodgeOn(browserPlatform(options.key), options);
