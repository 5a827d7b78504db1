import { shorten } from "../../problems/readable.ts";
import { summariseReport } from "../summarise-report.ts";
import type { PostingKind } from "./kind.ts";

/** The length that a channel shows without a click. Discord refuses descriptions of more than 4,096 characters. */
const messageLengthMax = 1_000;
const footerLengthMax = 400;
/** Half of Discord's limit, since escaping can double the length. */
const titleLengthMax = 128;

/**
 * A message for a Discord webhook: one embed with the report's title as a link. It never mentions anybody, whatever the
 * report contains.
 */
export const discord: PostingKind = (deps, delivery) => {
  const { title, message, url, facts, problemUrl } = summariseReport(deps, delivery);
  const embed = {
    title: escapeMarkdown(shorten(title, titleLengthMax)),
    url,
    ...(message !== "" && { description: escapeMarkdown(shorten(message, messageLengthMax)) }),
    ...(problemUrl !== null && { fields: [{ name: "Problem", value: problemUrl }] }),
    footer: { text: shorten(facts.join(" · "), footerLengthMax) },
    timestamp: delivery.receivedAt.toISOString(),
  };
  const body = { embeds: [embed], allowed_mentions: { parse: [] } };
  return { url: delivery.url, headers: {}, body: Buffer.from(JSON.stringify(body)) };
};

/** Escapes the characters that Discord uses for formatting. */
const escapeMarkdown = (text: string) => text.replace(/[\\*_~`|>#[\]()<@-]/g, "\\$&");
