/** A search of an inbox: all terms and the free text must match. */
export type Search = {
  /**
   * The facets, in the form in which events store them: `version:…`, `environment:…`, `level:…`, `browser:…`, `os:…`,
   * `error:…`, `tag:NAME=VALUE`.
   */
  facets: string[];
  users: string[];
  files: string[];
  functions: string[];
  isNew: boolean;
  isBack: boolean;
  /** The free text; undefined for none. */
  text: string | undefined;
};

/** A word, or `name:value` with an optionally quoted value. */
const words = /([a-z]+(?:\.[^\s:"]{1,200})?):"([^"]*)"|(\S+)/gi;
const terms = /^(user|file|function|type|version|environment|browser|os|level|is|tag\.[^:]{1,200}):(.+)$/i;

/** Parses a search; words that are no terms become the free text. */
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
  // If there is only free text, keep its spaces.
  const text = rest.length === [...query.matchAll(words)].length ? query.trim() : rest.join(" ");
  if (text !== "") search.text = text;
  return search;
}

/** Adds a term to the search. Returns whether it is one. */
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
