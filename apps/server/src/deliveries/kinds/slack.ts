import { shorten } from "../../problems/readable.ts";
import { sendMessage } from "../send-message.ts";
import { summariseReport } from "../summarise-report.ts";
import type { Kind } from "./kinds.ts";

/** Slack refuses a section of more than 3,000 characters; escaping makes one up to five times as long. */
const messageLengthMax = 500;

/** A message for a Slack incoming webhook: the report's title as a link, its message, and which app it came from. */
export const slack: Kind = ({ deps, agent }, delivery) => {
  const { title, message, url } = summariseReport(deps, delivery);
  const heading = `*<${url}|${escapeMarkdown(title)}>*`;
  const blocks = [
    section(message === "" ? heading : `${heading}\n${escapeMarkdown(shorten(message, messageLengthMax))}`),
    { type: "context", elements: [{ type: "mrkdwn", text: escapeMarkdown(delivery.appName) }] },
  ];
  const text = escapeMarkdown(`${delivery.appName}: ${title}`);
  return sendMessage(agent, delivery.url, {}, Buffer.from(JSON.stringify({ text, blocks })));
};

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });

/** Slack's three control characters; a link or a mention needs one of them. */
const escapeMarkdown = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
