import { type Dispatcher, request } from "undici";
import {
  describeFailure,
  messageHeaders,
  type Outcome,
  retryAfterOf,
} from "../../../platform/outbound/send-message.ts";
import { shorten } from "../../problems/readable.ts";
import { summariseReport } from "../summarise-report.ts";
import type { ActingKind } from "./kind.ts";

/** GitHub refuses titles of more than 256 characters and bodies of more than 65,536. */
const titleLengthMax = 250;
const messageLengthMax = 20_000;
const timeoutMs = 15_000;
const issuesPerPage = 50;
const pagesMax = 10;
const answerBytesMax = 8_388_608;
const shownLengthMax = 4_096;

/**
 * Opens an issue for a report in a GitHub repository: one, however often it is attempted, because it first looks for a
 * mark in the issues opened since the report was received. A reporter's answer opens none.
 */
export const github: ActingKind = async (deps, delivery, { agent }) => {
  if (delivery.reply) return { status: null, response: null, reason: null };
  const [token] = delivery.secrets;
  if (token === undefined)
    return { status: null, response: null, reason: "No token is set. Add one on the subscriber's page." };
  const ask = apiOf(agent, delivery.url, token);
  const mark = `<!-- lodge ${delivery.eventId} ${delivery.subscriberId} -->`;
  try {
    const known = await findMarked(ask, delivery.receivedAt, mark);
    if (typeof known === "object") return known;
    if (known) return { status: null, response: null, reason: null };
    const { title, message, url } = summariseReport(deps, delivery);
    const body = [message === "" ? "" : fenced(shorten(message, messageLengthMax)), `[Open the report](${url})`, mark];
    const made = await ask("POST", "issues", {
      title: shorten(`${delivery.appName}: ${title}`, titleLengthMax),
      body: body.filter(Boolean).join("\n\n"),
    });
    return made.outcome;
  } catch (error) {
    return { status: null, response: null, reason: describeFailure(error as Error) };
  }
};

type Issue = { body?: string | null; created_at: string };
type Ask = (method: "GET" | "POST", path: string, body?: object) => Promise<{ outcome: Outcome; text: string }>;

/** The API of a repository: api.github.com for github.com, and the host's own for GitHub Enterprise Server. */
function apiOf(agent: Dispatcher, repositoryUrl: string, token: string): Ask {
  const { protocol, host, pathname } = new URL(repositoryUrl);
  const [, owner = "", repository = ""] = pathname.split("/");
  const root = host === "github.com" ? "https://api.github.com" : `${protocol}//${host}/api/v3`;
  return async (method, path, body) => {
    const answer = await request(`${root}/repos/${owner}/${repository.replace(/\.git$/, "")}/${path}`, {
      method,
      headers: {
        ...messageHeaders,
        accept: "application/vnd.github+json",
        authorization: `Bearer ${token}`,
        "x-github-api-version": "2022-11-28",
      },
      body: body ? JSON.stringify(body) : null,
      dispatcher: agent,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { statusCode: status, headers } = answer;
    const text = await readText(answer.body);
    const isTaken = status >= 200 && status < 300;
    return {
      text,
      outcome: {
        status,
        response: text.slice(0, shownLengthMax).replaceAll("\u0000", "\uFFFD"),
        reason: isTaken ? null : reasonOf(status),
        isGone: status === 410,
        retryAfterMs: isTaken ? null : retryAfterOf(headers),
      },
    };
  };
}

const reasons: Record<number, string> = {
  401: "GitHub rejected the token (401).",
  404: "GitHub answered 404: the repository does not exist, or the token has no access to it.",
  410: "Issues are disabled in the repository (410).",
};
const reasonOf = (status: number) => reasons[status] ?? `GitHub answered ${status}.`;

/** Whether an issue with the mark was opened since a time. Returns an outcome if GitHub's answer does not tell. */
async function findMarked(ask: Ask, since: Date, mark: string): Promise<boolean | Outcome> {
  for (let page = 1; page <= pagesMax; page++) {
    const query = new URLSearchParams({
      state: "all",
      since: since.toISOString(),
      sort: "created",
      direction: "desc",
      per_page: `${issuesPerPage}`,
      page: `${page}`,
    });
    const { outcome, text } = await ask("GET", `issues?${query}`);
    if (outcome.reason !== null) return outcome;
    const issues = JSON.parse(text) as Issue[];
    if (issues.some(({ body }) => body?.includes(mark))) return true;
    const oldest = issues.at(-1);
    // Allow a minute of clock difference.
    if (issues.length < issuesPerPage || !oldest || Date.parse(oldest.created_at) < since.getTime() - 60_000)
      return false;
  }
  const reason = `More than ${issuesPerPage * pagesMax} issues were opened since the report was received, so Lodge cannot tell whether its own is among them.`;
  return { status: null, response: null, reason };
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) throw new Error(`the answer has more than ${answerBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** A fenced block, in which GitHub does not format, link or mention anything. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}
