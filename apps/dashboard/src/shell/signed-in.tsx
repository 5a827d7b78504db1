import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { sessionQuery } from "../api/queries.ts";
import { Button } from "../ui/button.tsx";
import { LoadError } from "../ui/notice.tsx";
import { PageHeading } from "../ui/page-heading.tsx";
import { AppShell, ShellSkeleton } from "./app-shell.tsx";
import { Redirect } from "./redirect.tsx";
import { signOut } from "./sign-out.ts";
import { SessionContext } from "./use-session.ts";

/** The pages for members: leads everybody else to the sign-in, and from there back to where they wanted to go. */
export function SignedIn() {
  const session = useQuery(sessionQuery);
  if (session.isPending) return <ShellSkeleton />;
  if (session.data === undefined) {
    return <LoadError error={session.error} retry={() => void session.refetch()} />;
  }
  if (session.data === null) return <AskToSignIn />;
  const { organisation, ...person } = session.data;
  if (!organisation) {
    return (
      <main className="mx-auto max-w-xl px-4 py-16">
        <PageHeading
          title="You belong to no organisation"
          hint={`You are signed in as ${person.user.email}. Ask an owner or admin of an organisation for an invitation, and open its link here.`}
        />
        <Button onClick={() => void signOut()}>Sign out</Button>
      </main>
    );
  }
  return (
    <SessionContext value={{ ...person, organisation }}>
      <AppShell key={organisation.id} />
    </SessionContext>
  );
}

function AskToSignIn() {
  const { href } = useLocation();
  const [wanted] = useState(href); // the address changes before this page is gone
  return <Redirect to={wanted === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(wanted)}`} />;
}
