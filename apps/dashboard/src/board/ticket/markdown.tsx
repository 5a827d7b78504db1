import MarkdownIt, { type Token } from "markdown-it";
import { createContext, createElement, Fragment, type ReactNode, use, useMemo } from "react";
import { withCardLinks } from "./card-link.tsx";
import { Log } from "./log.tsx";
import { isLog } from "./log-lines.ts";
import { withMentions } from "./plain-text.tsx";
import { TaskCard, type TaskSource } from "./task-card.tsx";
import { taskMark } from "./tasks.ts";
import { TextImage } from "./text-image.tsx";
import { TextLink } from "./text-link.tsx";

/** The maximum number of card numbers that become links. */
const cardLinksMax = 100;
/** The maximum nesting depth of elements. Deeper content is shown without its elements. */
const depthMax = 40;
const safeAddress = /^(?:https?:\/\/|mailto:)/i;
/**
 * The path of an image stored in Lodge. Other images are not loaded, because their server would learn who reads the
 * text.
 */
const storedImage = /^\/api\/dashboard\/images\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

// A line of dashes or equals signs below a text is common in logs and does not make a heading.
const parser = new MarkdownIt({ html: false, linkify: true, breaks: true }).disable("lheading");
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
parser.validateLink = (address) => safeAddress.test(address) || storedImage.test(address);

/** Ticks or unticks the task on a line of the text. */
export type Tick = (line: number, done: boolean) => void;
const Tasks = createContext<{ tick?: Tick | undefined; source?: TaskSource | undefined }>({});

/**
 * Renders Markdown as a fixed set of React elements, never as HTML, so HTML in the text cannot take effect. Only http,
 * https and mailto links work, and only images stored in Lodge are shown. Logs are preformatted. Tasks ("- [ ] task")
 * are checkboxes, enabled if `tick` is given, and with a `source` can become cards. Card numbers (WEB-12) outside of
 * code and links become links.
 */
export function Markdown({
  text,
  mentions = [],
  tick,
  source,
}: {
  text: string;
  mentions?: string[];
  tick?: Tick | undefined;
  source?: TaskSource;
}) {
  const nodes = useMemo(() => toNodes(withTasks(withLogs(parser.parse(text, {}), text)), mentions), [text, mentions]);
  return (
    <Tasks value={{ tick, source }}>
      <div dir="auto" className="flex flex-col gap-2.5 leading-6 wrap-anywhere">
        {nodes}
      </div>
    </Tasks>
  );
}

/** A task: its line in the text, its state and its label. */
type Task = { line: number; done: boolean; label: string };

/** Marks list items that are tasks, and their texts. */
function withTasks(blocks: Block[]): Block[] {
  for (const [index, text] of blocks.entries()) {
    const item = blocks[index - 2];
    if (text.type !== "inline" || item?.type !== "list_item_open" || !("children" in text) || !("meta" in item))
      continue;
    const [mark = "", box] = taskMark.exec(text.content) ?? [];
    const first = text.children?.[0];
    if (!box || !text.map || !first) continue;
    const task: Task = { line: text.map[0], done: box !== " ", label: text.content.slice(mark.length) };
    first.content = first.content.slice(mark.length);
    text.meta = task;
    item.meta = task;
  }
  return blocks;
}

function TaskBox({ task: { line, done, label } }: { task: Task }) {
  const { tick } = use(Tasks);
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={done}
      disabled={!tick}
      onChange={() => tick?.(line, !done)}
      className="mr-2 size-4 align-[-0.15em] accent-accent"
    />
  );
}

function TaskAction({ task: { line, label } }: { task: Task }) {
  const { tick, source } = use(Tasks);
  const [task = ""] = label.split("\n"); // further lines stay in the text
  return tick && source && <TaskCard source={source} line={line} task={task} />;
}

/** A block, or a paragraph that is shown as a log. */
type Block = Token | { type: "log"; nesting: 0; content: string; lines: [number, number] };

/** Replaces each paragraph that is a log, and the indented blocks after it, with one log block. */
function withLogs(tokens: Token[], text: string): Block[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const blocks: Block[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (!token) break;
    const before = blocks.at(-1);
    const source = token.level === 0 && token.map ? lines.slice(...token.map).join("\n") : undefined;
    const continues = before && "lines" in before && token.type === "code_block";
    if (source === undefined || !token.map || !(continues || (token.type === "paragraph_open" && isLog(source)))) {
      blocks.push(token);
      continue;
    }
    if (token.type === "paragraph_open") index += 2; // skips the inline token and the closing token
    if (before && "lines" in before) {
      before.lines[1] = token.map[1];
      before.content = lines.slice(...before.lines).join("\n");
    } else blocks.push({ type: "log", nesting: 0, content: source, lines: [...token.map] });
  }
  return blocks;
}

function toNodes(blocks: readonly Block[], mentions: readonly string[]): ReactNode[] {
  let key = 0;
  let cardLinks = 0;
  const open: Token[] = [];
  const nodes: ReactNode[][] = [[]];
  const push = (...made: ReactNode[]) => nodes.at(-1)?.push(...made);
  const walk = (tokens: readonly Block[]) => {
    for (const token of tokens) {
      if (token.type === "inline" && "children" in token) {
        if (token.meta) push(<TaskBox key={key++} task={token.meta as Task} />);
        walk(token.children ?? []);
        if (token.meta) push(<TaskAction key={key++} task={token.meta as Task} />);
      } else if (token.nesting === 1) {
        open.push(token as Token);
        nodes.push([]);
      } else if (token.nesting === -1) {
        const children = nodes.pop() ?? [];
        const opened = open.pop();
        if (!opened || opened.hidden || open.length >= depthMax) push(...children);
        else push(<Fragment key={key++}>{element(opened, children)}</Fragment>);
      } else if (token.type === "text" && !open.some(({ tag }) => tag === "a")) {
        const said = withCardLinks(
          token.content,
          () => cardLinks++ < cardLinksMax,
          (part) => withMentions(part, mentions),
        );
        push(<Fragment key={key++}>{said}</Fragment>);
      } else push(<Fragment key={key++}>{leaf(token, mentions)}</Fragment>);
    }
  };
  walk(blocks);
  return nodes.flat();
}

const classes: Record<string, string> = {
  h1: "text-md font-semibold",
  h2: "text-md font-semibold",
  h3: "font-semibold",
  h4: "font-semibold",
  h5: "font-semibold",
  h6: "font-semibold",
  ul: "list-disc space-y-1 pl-5",
  ol: "list-decimal space-y-1 pl-6",
  blockquote: "flex flex-col gap-2.5 border-l-2 border-line-strong pl-3 text-muted",
  th: "border border-line px-2 py-1 text-left font-medium",
  td: "border border-line px-2 py-1 align-top",
  strong: "font-semibold",
};
const plain = new Set(["p", "ul", "li", "em", "s", "blockquote", "thead", "tbody", "tr", "th", "td", "strong"]);

function element(token: Token, children: ReactNode[]): ReactNode {
  const { tag } = token;
  const className = classes[tag];
  const given: { className?: string } = className ? { className } : {};
  if (tag === "a") {
    const href = String(token.attrGet("href"));
    return <TextLink href={href}>{token.info === "auto" ? undefined : children}</TextLink>;
  }
  if (tag === "table") {
    return (
      <div className="overflow-x-auto">
        <table className="text-sm">{children}</table>
      </div>
    );
  }
  if (tag === "ol") {
    return (
      <ol {...given} start={Number(token.attrGet("start") ?? 1)}>
        {children}
      </ol>
    );
  }
  if (tag === "li" && token.meta) return <li className="group/task -ml-5 list-none [&>ul]:ml-6">{children}</li>;
  // Headings in a text rank below those of the page.
  if (/^h[1-6]$/.test(tag)) return createElement(`h${Math.min(6, Number(tag[1]) + 2)}`, given, children);
  return plain.has(tag) ? createElement(tag, given, children) : children;
}

function leaf(token: Block, mentions: readonly string[]): ReactNode {
  switch (token.type) {
    case "log":
    case "fence":
    case "code_block":
      return <Log text={token.content} />;
    case "code_inline":
      return <code className="rounded-sm bg-sunken px-1 font-mono text-[0.9em]">{token.content}</code>;
    case "softbreak":
    case "hardbreak":
      return <br />;
    case "hr":
      return <hr className="border-line" />;
    case "image": {
      const image = token as Token;
      const src = String(image.attrGet("src"));
      if (storedImage.test(src)) return <TextImage src={src} alt={image.content} />;
      return <TextLink href={src}>{image.content || undefined}</TextLink>;
    }
    default:
      return withMentions(token.content, mentions);
  }
}
