import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import MarkdownIt from "markdown-it";
import type { Deps } from "../../platform/deps.ts";
import { type Page, pageHtml, toText } from "./page.ts";

/** The guides, in their listed order: the documents of docs/ about using Lodge. */
const guides = [
  "quick-start",
  "sdk",
  "recipes",
  "sentry",
  "source-maps",
  "ingestion",
  "webhooks",
  "ticket-api",
  "cli",
  "csv",
  "mcp",
  "agent",
  "self-hosting",
  "scaling",
  "glossary",
  "ci/github-actions",
  "ci/gitlab",
  "ci/azure-pipelines",
  "ci/bitbucket",
  "ci/buildkite",
  "ci/circleci",
  "ci/drone",
  "ci/jenkins",
  "ci/teamcity",
  "ci/travis",
  "ci/woodpecker",
] as const;

/** A part of a guide under one heading. */
type Section = { guide: string; guideTitle: string; title: string; id: string; text: string };

/** A guide as HTML, and its parts for the search. */
type Guide = { name: string; title: string; html: string; sections: Section[] };

/** The reader's own app in the guides: its SDK key and its number. */
export type OwnApp = { key?: string; app?: string };

const folder = new URL("../../../../../docs/", import.meta.url);
const markdown = new MarkdownIt({ html: false, linkify: false });

let read: Promise<Guide[]> | undefined;

/** Reads every guide once. */
const readGuides = (): Promise<Guide[]> => {
  read ??= Promise.all(
    guides.map(async (name) => toGuide(name, await readFile(fileURLToPath(new URL(`${name}.md`, folder)), "utf8"))),
  );
  return read;
};

/** The page of a guide, with the server's addresses in its examples and, if given, a key and a number. */
export async function guideHtml(urls: Deps["urls"], name: string, own: OwnApp): Promise<string | undefined> {
  const found = (await readGuides()).find((guide) => guide.name === name);
  if (!found) return undefined;
  return pageHtml(await toPage(found.title, name, fillIn(found.html, urls, own)));
}

/** The list of the guides, or the parts of them that contain every word of a search. */
export async function guidesHtml(query: string): Promise<string> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const all = await readGuides();
  if (words.length === 0) {
    const items = all.map(({ name, title }) => `<li><a href="/docs/guides/${name}">${toText(title)}</a></li>`);
    return pageHtml(await toPage("Guides", "", `<h1>Guides</h1><ul>${items.join("")}</ul>`));
  }
  const found = all.flatMap(({ sections }) => sections).filter((section) => hasAll(section, words));
  const items = found.slice(0, 50).map(
    ({ guide, guideTitle, title, id, text }) => `<li>
<a href="/docs/guides/${guide}#${id}">${toText(guideTitle === title ? title : `${guideTitle}: ${title}`)}</a>
<p>${toText(excerptOf(text, words))}</p></li>`,
  );
  const count = found.length === 1 ? "1 result" : `${found.length} results`;
  const list =
    found.length === 0 ? `<p>No results. Try fewer words.</p>` : `<ul class="results">${items.join("")}</ul>`;
  return pageHtml(await toPage("Search", "", `<h1>${count} for “${toText(query)}”</h1>${list}`, query));
}

const hasAll = ({ guideTitle, title, text }: Section, words: string[]) => {
  const whole = `${guideTitle} ${title} ${text}`.toLowerCase();
  return words.every((word) => whole.includes(word));
};

const excerptLength = 240;

function excerptOf(text: string, [word = ""]: string[]): string {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
  return `${at > 0 ? "…" : ""}${text.slice(at, at + excerptLength)}${text.length > at + excerptLength ? "…" : ""}`;
}

async function toPage(title: string, current: string, main: string, query = ""): Promise<Page> {
  const links = (await readGuides()).map(({ name, title: label }) => ({ href: `/docs/guides/${name}`, label, name }));
  return { title, main, query, links: links.map(({ name, ...link }) => ({ ...link, isCurrent: name === current })) };
}

function toGuide(name: string, source: string): Guide {
  const tokens = markdown.parse(source, {});
  const sections: Section[] = [];
  const ids = new Map<string, number>();
  let title = name;
  tokens.forEach((token, index) => {
    if (token.type === "heading_open") {
      const heading = textOf(tokens[index + 1]);
      const slug = slugOf(heading);
      const times = ids.get(slug) ?? 0;
      ids.set(slug, times + 1);
      const id = times === 0 ? slug : `${slug}-${times}`;
      token.attrSet("id", id);
      if (token.tag === "h1") title = heading;
      sections.push({ guide: name, guideTitle: title, title: heading, id, text: "" });
    } else if (token.type === "inline" && tokens[index - 1]?.type !== "heading_open") {
      addText(sections, textOf(token));
      token.children = aimLinks(name, token.children ?? []);
    } else if (token.type === "fence" || token.type === "code_block") {
      addText(sections, token.content);
    }
  });
  return { name, title, html: markdown.renderer.render(tokens, markdown.options, {}), sections };
}

type Token = ReturnType<typeof markdown.parse>[number];

const textOf = (token: Token | undefined) => (token?.children ?? []).map(({ content }) => content).join("");

function addText(sections: Section[], text: string): void {
  const last = sections.at(-1);
  if (last) last.text += `${last.text === "" ? "" : " "}${text.replaceAll(/\s+/g, " ").trim()}`;
}

/** The anchors that GitHub generates for headings, so that links work in both places. */
const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

/** Makes links lead to what the server serves; links to other files of the repository become plain text. */
function aimLinks(guide: string, tokens: Token[]): Token[] {
  let dropped = false;
  return tokens.filter((token) => {
    if (token.type === "link_open") {
      const target = targetOf(guide, String(token.attrGet("href") ?? ""));
      dropped = target === undefined;
      if (target !== undefined) token.attrSet("href", target);
      return !dropped;
    }
    if (token.type === "link_close") return !dropped;
    return token.type !== "image";
  });
}

function targetOf(guide: string, href: string): string | undefined {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href;
  const { pathname, hash } = new URL(href, `file:///docs/${guide}.md`);
  if (pathname === "/docs/openapi.json") return "/openapi.json";
  if (pathname === "/docs/operations.md") return "/docs";
  if (pathname === "/docs/errors.md") return `/docs/errors${hash}`;
  const name = /^\/docs\/(.+)\.md$/.exec(pathname)?.[1];
  return guides.some((known) => known === name) ? `/docs/guides/${name}${hash}` : undefined;
}

const keyPattern = /^ldgpub_[A-Za-z0-9]{1,64}$/;
const numberPattern = /^\d{1,10}$/;

/** Inserts the server's addresses and the reader's own key into the examples of the guides. */
function fillIn(html: string, { base, ingest }: Deps["urls"], { key = "", app = "" }: OwnApp): string {
  const filled = html
    .replaceAll("ingestUrl: &quot;https://lodge.example.com", toText(`ingestUrl: "${ingest}`))
    .replaceAll("https://lodge.example.com", toText(base))
    .replaceAll("http://127.0.0.1:4080", toText(base))
    .replaceAll("Host: reports.example.com", toText(`Host: ${new URL(ingest).host}`))
    .replaceAll("@reports.example.com", toText(`@${new URL(ingest).host}`))
    .replaceAll("https://reports.example.com", toText(ingest));
  if (!keyPattern.test(key)) return filled;
  const ofApp = numberPattern.test(app) ? filled.replaceAll("1234567890", app) : filled;
  return ofApp.replaceAll("ldgpub_…", key);
}
