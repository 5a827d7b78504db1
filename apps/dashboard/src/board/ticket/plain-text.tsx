import { Fragment } from "react";
import { TextLink } from "./text-link.tsx";

const address = /(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}'])/g;

/** Plain text with its line breaks. URLs become links, and the names in `mentions` are highlighted. */
export function PlainText({
  text,
  mentions = [],
  asLog = false,
}: {
  text: string;
  mentions?: string[];
  asLog?: boolean;
}) {
  const parts = text.split(address).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other key
      <TextLink key={index} href={part}>
        {asLog ? part : undefined}
      </TextLink>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <Fragment key={index}>{withMentions(part, mentions)}</Fragment>
    ),
  );
  return asLog ? (
    <code dir="auto">{parts}</code>
  ) : (
    <div dir="auto" className="leading-6 wrap-anywhere whitespace-pre-wrap">
      {parts}
    </div>
  );
}

/** A text with the names highlighted that follow an @. */
export function withMentions(text: string, names: readonly string[]) {
  if (names.length === 0) return text;
  const longestFirst = names
    .toSorted((one, other) => other.length - one.length)
    .map((name) => `@${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`);
  return text.split(new RegExp(`(${longestFirst.join("|")})`)).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other key
      <strong key={index} className="rounded-sm bg-accent-soft px-0.5 font-medium text-accent-ink">
        {part}
      </strong>
    ) : (
      part
    ),
  );
}
