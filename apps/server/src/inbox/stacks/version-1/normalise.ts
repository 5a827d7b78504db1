// How version 1 of the grouping rules compares. Do not change it: that would split existing problems.

/** Longer messages would differ between occurrences, so the rest is ignored. */
const messageLengthMax = 500;

/**
 * Removes from a message what differs between occurrences: addresses, e-mail addresses, ids, hashes, paths and numbers.
 * Reads its first 500 characters.
 */
export function normaliseMessage(message: string): string {
  return message
    .slice(0, messageLengthMax)
    .replaceAll(/\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>)]+/gi, "<url>")
    .replaceAll(/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g, "<email>")
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>")
    .replaceAll(/\b0x[0-9a-f]+\b/gi, "<address>")
    .replaceAll(/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, "<ip>")
    .replaceAll(/(?<![\w.])(?:[a-z]:)?(?:[\\/][\w.@~+-]+){2,}[\\/]?/gi, "<path>")
    .replaceAll(/\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{8,}\b/gi, "<hash>")
    .replaceAll(/\b(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])[A-Za-z0-9_]{16,}\b/g, "<id>")
    .replaceAll(/(?:(?<=^|[\s(=[,:])[+-])?\d+(?:[.,]\d+)*/g, "<n>")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/**
 * The last two parts of a file's path or address, without the host, the query, and what differs between builds or
 * machines: hashes, versions and numbers.
 */
export function normaliseFile(file: string): string {
  const path = file
    .replace(/^(?:async )?(?:webpack(?:-internal)?|vite|file|app|rsc):\/\/+/i, "/")
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, "")
    .replace(/[?#].*$/, "");
  return path
    .split(/[\\/]+/)
    .filter((part) => part !== "" && part !== "." && !/^[a-z]:$/i.test(part) && !isOfBuild(part))
    .slice(-2)
    .map(withoutHash)
    .join("/");
}

/** Whether a folder is named after a build: by a hash, a number, a date or a version. */
const isOfBuild = (part: string) => isHexadecimal(part) || /^v?\d[\d._-]*$/.test(part);

const endings = /(?:\.(?:chunk|bundle|min|prod|esm|umd|mjs|cjs|jsx?|tsx?|map|wasm))+$/i;

/** A file's name without a bundler's hash: app-B7f3a9c1.js, app.8e0d62a0.chunk.js, 8e0d62a0.js. */
function withoutHash(name: string): string {
  const [ending = ""] = endings.exec(name) ?? [];
  const [head = "", ...rest] = name.slice(0, name.length - ending.length).split(/(?=[.~])/);
  // The hash of Vite and esbuild follows a hyphen and may contain hyphens: it is 8 characters long.
  const [, before = head, tail = ""] = /^(.{1,200}?)[-_]([\w-]{8}|[0-9a-f]{9,64})$/i.exec(head) ?? [];
  const named = isHash(tail) ? before : isHexadecimal(head) ? "" : head;
  return `${[named, ...rest.filter((part) => !isHash(part.slice(1)))].join("").replaceAll(/\d+/g, "#")}${ending}`;
}

const isHexadecimal = (text: string) => /^[0-9a-f]{7,64}$/i.test(text) && (/\d/.test(text) || text.length >= 16);

/** Recognises a bundler's hash: hexadecimal, or 8 characters with digits or capitals in places where a word has none. */
const isHash = (text: string) => isHexadecimal(text) || (/^[\w-]{8}$/.test(text) && /\d|.[A-Z]/.test(text));

/**
 * The name of a function that all browsers agree on: its last part, without what only some of them add. Empty for a
 * function without a name, or with the one or two letters of a minifier, which differ between builds.
 */
export function normaliseFunction(name: string | null): string {
  if (name === null || /^(?:module|global|eval) code$/.test(name)) return "";
  const bare = name
    .slice(0, 500)
    .replace(/ \[as .*\]$/, "")
    .replace(/^(?:async |new |get |set |bound )+/, "")
    .replace(/\/?<$/, "/");
  const last = bare.split(/[./]/).at(-1) ?? "";
  return last.length <= 2 || last.startsWith("<") ? "" : last.replaceAll(/\d+/g, "#");
}
