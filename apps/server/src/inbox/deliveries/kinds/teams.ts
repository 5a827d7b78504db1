import { shorten } from "../../problems/readable.ts";
import { summariseReport } from "../summarise-report.ts";
import type { PostingKind } from "./kind.ts";

/** Teams refuses messages of more than 28 KB. */
const messageLengthMax = 1_000;

/** A message for a Microsoft Teams workflow ("when a webhook request is received"): an adaptive card with a link. */
export const teams: PostingKind = (deps, delivery) => {
  const { title, message, url, facts, problemUrl } = summariseReport(deps, delivery);
  // A TextRun is shown verbatim; a TextBlock would render Markdown.
  const text = (of: string, style: object) => ({
    type: "RichTextBlock",
    inlines: [{ type: "TextRun", text: of, ...style }],
  });
  const card = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      text(title, { weight: "Bolder", size: "Medium" }),
      ...(message === "" ? [] : [text(shorten(message, messageLengthMax), {})]),
      text(facts.join(" · "), { isSubtle: true }),
    ],
    actions: [
      { type: "Action.OpenUrl", title: "Open the report", url },
      ...(problemUrl === null ? [] : [{ type: "Action.OpenUrl", title: "Open the problem", url: problemUrl }]),
    ],
  };
  const attachment = { contentType: "application/vnd.microsoft.card.adaptive", content: card };
  const body = { type: "message", attachments: [attachment] };
  return { url: delivery.url, headers: {}, body: Buffer.from(JSON.stringify(body)) };
};
