import type { InboxFilter } from "@lodge/contract/dashboard/inbox";

/** The search parameters of an inbox: its filter and order. */
export type InboxSearch = {
  q?: string;
  order?: "frequent";
  state?: "resolved" | "muted" | "any";
  show?: "problems" | "reports";
  kind?: NonNullable<InboxFilter["kind"]>;
  environment?: string;
  version?: string;
  browser?: string;
  os?: string;
  tag?: string;
  within?: Within;
  attachments?: true;
};

/** The period of the filter, in days. */
export type Within = "1" | "7" | "30";

const valuesOf = {
  order: ["frequent"],
  state: ["resolved", "muted", "any"],
  show: ["problems", "reports"],
  kind: ["bug", "crash", "feedback", "question", "other"],
  within: ["1", "7", "30"],
} satisfies { [Name in keyof InboxSearch]?: readonly InboxSearch[Name][] };

/** Parses the filter from search parameters, ignoring unknown and invalid ones. */
export function readInboxSearch(search: Record<string, unknown>): InboxSearch {
  const texts = (["q", "environment", "version", "browser", "os", "tag"] as const).flatMap((name) => {
    const value = search[name];
    // The router parses numeric values as numbers.
    const text = typeof value === "number" ? String(value) : value;
    return typeof text === "string" && text !== "" ? [[name, text]] : [];
  });
  const choices = Object.entries(valuesOf).flatMap(([name, values]) => {
    const value = String(search[name]);
    return (values as readonly string[]).includes(value) ? [[name, value]] : [];
  });
  return {
    ...Object.fromEntries([...texts, ...choices]),
    ...(search.attachments === true && { attachments: true }),
  };
}
