import { test } from "node:test";

/**
 * A test of the slow tier in a file whose other tests are quick: `npm test` leaves it out, unless its file is named. The
 * slow tier runs the whole file.
 */
export const slowTest: typeof test = process.env.TEST_TIER === "fast" ? ((() => {}) as unknown as typeof test) : test;
