const uuid = String.raw`[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}`;
const comment = new RegExp(String.raw`^//[#@] debugId=(${uuid})\s*$`, "im");
/** Matches the debug id in the code that Sentry's bundler plugins add to the start of a file. */
const ofSentry = new RegExp(`sentry-dbid-(${uuid})`, "i");

/** The debug id that a Sentry bundler plugin added to a bundled file, and that Sentry SDKs report for it. */
export const sentryDebugId = (text: string): string | undefined => ofSentry.exec(text)?.[1]?.toLowerCase();

/** The debug id in the `debugId` comment of a bundled file, which the bundler writes. */
export const commentedDebugId = (text: string): string | undefined => comment.exec(text)?.[1];
