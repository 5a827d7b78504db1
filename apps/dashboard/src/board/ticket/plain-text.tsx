import { Fragment } from "react";
import { TextLink } from "./text-link.tsx";

const address = /(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}'])/g;

/** Plain text with its line breaks; web addresses in it are links, and the names in `mentions` stand out. */
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
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
      <TextLink key={index} href={part}>
        {asLog ? part : undefined}
      </TextLink>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same
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

/** A text in which the names stand out where they follow an @. */
export function withMentions(text: string, names: readonly string[]) {
  if (names.length === 0) return text;
  const longestFirst = names
    .toSorted((one, other) => other.length - one.length)
    .map((name) => `@${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`);
  return text.split(new RegExp(`(${longestFirst.join("|")})`)).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
      <strong key={index} className="rounded-sm bg-accent-soft px-0.5 font-medium text-accent-ink">
        {part}
      </strong>
    ) : (
      part
    ),
  );
}
