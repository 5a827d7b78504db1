/** The target of a URL of a forge or CI server. */
export type SourceLink = { kind: "run" | "commit" | "change"; label: string };

const kinds = [
  {
    kind: "change",
    path: /\/(?:pull|pulls|pull-requests|merge_requests)\/(\d+)(?:\/|$)/,
    label: (id: string) => `#${id}`,
  },
  { kind: "commit", path: /\/commits?\/([0-9a-f]{7,64})(?:\/|$)/i, label: (id: string) => id.slice(0, 8) },
  {
    kind: "run",
    path: /\/(?:runs|builds|pipelines|jobs|buildResults)\/(\d+)(?:\/|$)/,
    label: (id: string) => `#${id}`,
  },
] as const;

const names = { run: "Run", commit: "Commit", change: "Pull request" };
const repositoryPath = /^\/((?:[^/]+\/)?[^/]+)/;

/** The run, commit or pull request that a URL points to, by its path; undefined for other URLs. */
export function sourceLink(href: string): SourceLink | undefined {
  const url = URL.parse(href);
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return undefined;
  for (const { kind, path, label } of kinds) {
    const found = path.exec(url.pathname);
    if (!found?.[1]) continue;
    const before = url.pathname.slice(0, found.index);
    const [, repository] = repositoryPath.exec(before.replace(/\/-$|\/actions$/, "")) ?? [];
    return { kind, label: `${names[kind]} ${label(found[1])}${repository ? ` · ${decode(repository)}` : ""}` };
  }
  return undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
