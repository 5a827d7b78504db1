import { escapeForSlack } from "../../../platform/outbound/escape-for-slack.ts";
import { shorten } from "../../problems/readable.ts";
import { summariseReport } from "../summarise-report.ts";
import type { PostingKind } from "./kind.ts";

/** Slack refuses sections of more than 3,000 characters, and escaping makes a text up to five times as long. */
const messageLengthMax = 500;

/**
 * A message for a Slack incoming webhook: the report's title as a link, its message, its app and version, and the
 * problem's counts.
 */
export const slack: PostingKind = (deps, delivery) => {
  const { title, message, url, facts, problemUrl } = summariseReport(deps, delivery);
  const heading = `*<${url}|${escapeForSlack(title)}>*`;
  const context = [...facts.map(escapeForSlack), ...(problemUrl === null ? [] : [`<${problemUrl}|Problem>`])].join(
    " · ",
  );
  const blocks = [
    section(message === "" ? heading : `${heading}\n${escapeForSlack(shorten(message, messageLengthMax))}`),
    { type: "context", elements: [{ type: "mrkdwn", text: context }] },
  ];
  const text = escapeForSlack(`${delivery.appName}: ${title}`);
  return { url: delivery.url, headers: {}, body: Buffer.from(JSON.stringify({ text, blocks })) };
};

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });
