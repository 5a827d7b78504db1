/** The ticket of a pull request. */
export type Described = {
  title: string;
  url: string;
  number: string | null;
  /** The agent's last message, without secrets. */
  summary: string | null;
};

const zeroWidthSpace = "\u200b";
const titleLengthMax = 240;
/** Words that make a forge close issues on merge. */
const closing = /\b([cfri])((?:los|ix|esolv|mplement)(?:e[sd]?|ing|s)?)\b/gi;

/** The title and body of a pull request: the agent's summary, the ticket that it fixes, and a note on its author. */
export function describePullRequest({ title, url, number, summary }: Described): { title: string; body: string } {
  const fixes = number === null ? `Fixes ${url}` : `Fixes ${number}: ${url}`;
  const note = "Lodge's agent wrote this change. Review it before you merge it.";
  return {
    title: [...title].slice(0, titleLengthMax).join(""),
    body: [...(summary?.trim() ? [quoted(summary.trim())] : []), fixes, note].join("\n\n"),
  };
}

/**
 * Quotes an agent's text so that it has no effect on the forge: no commands (GitLab runs lines that begin with a
 * slash), mentions, references, closed issues or HTML.
 */
const quoted = (text: string): string =>
  text
    .replace(/[@#!](?=[\p{L}\p{N}_])/gu, `$&${zeroWidthSpace}`)
    .replace(closing, `$1${zeroWidthSpace}$2`)
    .replaceAll("<", "&lt;")
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => `> ${line}`)
    .join("\n");
