const uuid = String.raw`[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}`;
const comment = new RegExp(String.raw`^//[#@] debugId=(${uuid})\s*$`, "im");
/** The prefix that Sentry's plugins for bundlers add to a file contains it. */
const ofSentry = new RegExp(`sentry-dbid-(${uuid})`, "i");

/** The debug id that Sentry's clients tell of a bundled file, where one of Sentry's plugins has put it in. */
export const sentryDebugId = (text: string): string | undefined => ofSentry.exec(text)?.[1]?.toLowerCase();

/** The debug id that a bundler has written into a bundled file, as a comment. */
export const commentedDebugId = (text: string): string | undefined => comment.exec(text)?.[1];
