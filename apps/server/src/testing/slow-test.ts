import { test } from "node:test";

/** A slow test in a fast file: `npm test` skips it, unless its file is named. The slow tier runs the whole file. */
export const slowTest: typeof test = process.env.TEST_TIER === "fast" ? ((() => {}) as unknown as typeof test) : test;
