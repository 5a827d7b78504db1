/** Longer messages would differ between occurrences, so the rest is ignored. */
const messageLengthMax = 500;

/** Numbers that identify an error: `Minified React error #418`, `status code 404`, `exit code 137`. */
const identifying =
  /\b(?:(?:react )?error #|status(?: code)?:? |HTTP(?:\/\d(?:\.\d)?)? |errno:? |(?:exit|error|return) code:? )\d{1,5}\b/gi;

/**
 * Removes from a message what differs between occurrences: addresses, e-mail addresses, ids, hashes, paths and numbers,
 * except for numbers that identify the error. Reads its first 500 characters.
 */
export function normaliseMessage(message: string): string {
  const text = message.slice(0, messageLengthMax);
  const kept: string[] = [];
  return withoutValues(
    text.replaceAll(identifying, (match) => {
      const digits = /\d+$/.exec(match)?.[0] ?? "";
      kept.push(digits);
      return `${match.slice(0, -digits.length)}\u0001`;
    }),
  ).replaceAll("\u0001", () => kept.shift() ?? "");
}

const withoutValues = (text: string) =>
  text
    .replaceAll(/\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>)]+/gi, "<url>")
    .replaceAll(/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g, "<email>")
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>")
    .replaceAll(/\b0x[0-9a-f]+\b/gi, "<address>")
    .replaceAll(/@(?=[0-9a-f]*\d)[0-9a-f]{4,16}\b/g, "@<address>")
    .replaceAll(/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, "<ip>")
    .replaceAll(/(?<![\w.])(?:[a-z]:)?(?:[\\/][\w.@~+-]+){2,}[\\/]?/gi, "<path>")
    .replaceAll(/\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{8,}\b/gi, "<hash>")
    .replaceAll(/\b(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])[A-Za-z0-9_]{16,}\b/g, "<id>")
    .replaceAll(/(?:(?<=^|[\s(=[,:])[+-])?\d+(?:[.,]\d+)*/g, "<n>")
    .replaceAll(/\s+/g, " ")
    .trim();
