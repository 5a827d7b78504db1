import { CirclePlay, GitCommitHorizontal, GitPullRequest } from "lucide-react";
import type { ReactNode } from "react";
import { sourceLink } from "./source-link.ts";

const icons = { run: CirclePlay, commit: GitCommitHorizontal, change: GitPullRequest };

/** A link in a text, opened in a new tab. A bare URL of a run, commit or pull request is labelled as such. */
export function TextLink({ href, children }: { href: string; children?: ReactNode }) {
  const source = children === undefined ? sourceLink(href) : undefined;
  const link = { href, target: "_blank", rel: "noopener noreferrer nofollow" };
  if (!source) {
    return (
      <a {...link} className="text-accent-ink underline underline-offset-2">
        {children ?? href}
      </a>
    );
  }
  const Icon = icons[source.kind];
  return (
    <a
      {...link}
      title={href}
      className="inline-flex max-w-full items-center gap-1 rounded-md border border-line bg-canvas px-1.5 align-middle font-sans text-sm leading-5 text-ink no-underline hover:border-line-strong"
    >
      <Icon aria-hidden className="size-3.5 shrink-0 text-muted" />
      <span className="truncate">{source.label}</span>
    </a>
  );
}
