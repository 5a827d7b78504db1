import { Link } from "@tanstack/react-router";
import { buttonClass } from "./button.tsx";
import { PageHeading } from "./page-heading.tsx";

/** Shown if the URL names no page or something that does not exist. */
export function NotFound({
  what,
}: {
  what: "page" | "board" | "card" | "event" | "problem" | "conversation" | "app" | "subscriber" | "webhook";
}) {
  return (
    <main className="mx-auto max-w-xl px-4 py-16">
      <PageHeading
        title={`There is no such ${what}`}
        hint="It may have been deleted, the URL may be wrong, or it may belong to an organisation that you are not a member of."
      />
      <Link to="/" className={buttonClass()}>
        Go to your boards
      </Link>
    </main>
  );
}
