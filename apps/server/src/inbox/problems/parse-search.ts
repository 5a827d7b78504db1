/** A search of an inbox: every term must be met, and the free text be found. */
export type Search = {
  /** Exactly as they are kept of events: `version:…`, `environment:…`, `level:…`, `browser:…`, `os:…`, `error:…`, `tag:NAME=VALUE`. */
  facets: string[];
  users: string[];
  files: string[];
  functions: string[];
  isNew: boolean;
  isBack: boolean;
  /** The remaining text; undefined for nothing. */
  text: string | undefined;
};

/** A word, or `name:value`, whose value may be in quotation marks. */
const words = /([a-z]+(?:\.[^\s:"]{1,200})?):"([^"]*)"|(\S+)/gi;
const terms = /^(user|file|function|type|version|environment|browser|os|level|is|tag\.[^:]{1,200}):(.+)$/i;

/** Reads the terms of a search; any other word is part of the free text. */
export function parseSearch(query: string): Search {
  const search: Search = {
    facets: [],
    users: [],
    files: [],
    functions: [],
    isNew: false,
    isBack: false,
    text: undefined,
  };
  const rest: string[] = [];
  for (const [whole, name, quoted, bare = ""] of query.matchAll(words)) {
    const [, of = "", value = ""] =
      name === undefined ? (terms.exec(bare) ?? []) : (terms.exec(`${name}:${quoted}`) ?? []);
    if (!take(search, of, value)) rest.push(whole);
  }
  // With the spaces that it has, where it is text alone.
  const text = rest.length === [...query.matchAll(words)].length ? query.trim() : rest.join(" ");
  if (text !== "") search.text = text;
  return search;
}

/** Whether it is a term. */
function take(search: Search, name: string, value: string): boolean {
  const lower = name.toLowerCase();
  if (lower.startsWith("tag.")) search.facets.push(`tag:${name.slice(4)}=${value}`);
  else if (lower === "type") search.facets.push(`error:${value}`);
  else if (["version", "environment", "browser", "os"].includes(lower)) search.facets.push(`${lower}:${value}`);
  else if (lower === "level") search.facets.push(`level:${value.toLowerCase()}`);
  else if (lower === "user") search.users.push(value);
  else if (lower === "file") search.files.push(value);
  else if (lower === "function") search.functions.push(value);
  else if (lower === "is" && value.toLowerCase() === "new") search.isNew = true;
  else if (lower === "is" && value.toLowerCase() === "back") search.isBack = true;
  else return false;
  return true;
}
