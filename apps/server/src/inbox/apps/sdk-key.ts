import { randomBytes } from "node:crypto";
import { base62 } from "../../platform/base62.ts";

/** A new SDK key: `ldgpub_` and 20 random bytes in base62 (contract section 1). */
export const makeSdkKey = (): string => `ldgpub_${base62(randomBytes(20), 27)}`;

/** Whether a text has the form of an SDK key. Saves a database query if it does not. */
export const isSdkKey = (text: string): boolean => /^ldgpub_[0-9A-Za-z]{27}$/.test(text);
