import { escapeForSlack } from "../../../platform/outbound/escape-for-slack.ts";
import { shorten } from "../../problems/readable.ts";
import { summariseReport } from "../summarise-report.ts";
import type { PostingKind } from "./kind.ts";

/** Slack refuses a section of more than 3,000 characters; escaping makes one up to five times as long. */
const messageLengthMax = 500;

/** A message for a Slack incoming webhook: the report's title as a link, its message, and which app it came from. */
export const slack: PostingKind = (deps, delivery) => {
  const { title, message, url } = summariseReport(deps, delivery);
  const heading = `*<${url}|${escapeForSlack(title)}>*`;
  const blocks = [
    section(message === "" ? heading : `${heading}\n${escapeForSlack(shorten(message, messageLengthMax))}`),
    { type: "context", elements: [{ type: "mrkdwn", text: escapeForSlack(delivery.appName) }] },
  ];
  const text = escapeForSlack(`${delivery.appName}: ${title}`);
  return { url: delivery.url, headers: {}, body: Buffer.from(JSON.stringify({ text, blocks })) };
};

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });
