import { Fragment } from "react";

const address = /(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}'])/g;

/** Plain text with its line breaks; web addresses in it are links, and the names in `mentions` stand out. */
export function PlainText({ text, mentions = [] }: { text: string; mentions?: string[] }) {
  return (
    <div className="leading-6 wrap-anywhere whitespace-pre-wrap">
      {text.split(address).map((part, index) =>
        index % 2 === 1 ? (
          <a
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
            key={index}
            href={part}
            target="_blank"
            rel="noopener noreferrer nofollow"
            className="text-accent-ink underline underline-offset-2"
          >
            {part}
          </a>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same
          <Fragment key={index}>{withMentions(part, mentions)}</Fragment>
        ),
      )}
    </div>
  );
}

function withMentions(text: string, names: string[]) {
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
