import { createLodgeOn } from "./lodge.ts";
import { nodePlatform } from "./node-platform.ts";
import type { Options } from "./options.ts";
import type { Lodge } from "./types.ts";

export { LodgeError } from "./lodge-error.ts";
export type * from "./options.ts";
export type * from "./types.ts";

/** `createLodge` for Node 18 and newer. Does not keep the process alive: call `flush` before it ends. */
export const createLodge = <Extra = unknown>(options: Options<Extra>): Lodge & Extra =>
  createLodgeOn(nodePlatform(options), options);
