import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { keepLoading } from "../api/keep-loading.ts";
import { sessionQuery } from "../api/queries.ts";
import { isSignedOutOnPurpose, noteSignedIn, signOut } from "../session/sign-out.ts";
import { SessionContext } from "../session/use-session.ts";
import { viewerOf } from "../session/viewer.ts";
import { Button } from "../ui/button.tsx";
import { LoadError } from "../ui/notice.tsx";
import { PageHeading } from "../ui/page-heading.tsx";
import { Redirect } from "../ui/redirect.tsx";
import { AppShell, ShellSkeleton } from "./app-shell.tsx";

const AskedForFactor = lazy(() =>
  keepLoading(() => import("./asked-for-factor.tsx")).then((page) => ({ default: page.AskedForFactor })),
);
const AskedForProvider = lazy(() =>
  keepLoading(() => import("./asked-for-provider.tsx")).then((page) => ({ default: page.AskedForProvider })),
);

/** The pages for members. Redirects everyone else to the sign-in, and then back to the requested page. */
export function SignedIn() {
  const session = useQuery(sessionQuery);
  const wasSignedIn = useRef(false);
  // Stays set until the person has saved the recovery codes, even if the session no longer asks for a second factor.
  const [askedBy, setAskedBy] = useState<string>();
  useEffect(() => {
    if (!session.data) return;
    wasSignedIn.current = true;
    noteSignedIn();
  }, [session.data]);
  if (session.isPending) return <ShellSkeleton />;
  if (session.data === undefined) {
    return <LoadError error={session.error} retry={() => void session.refetch()} />;
  }
  if (session.data === null) return <AskToSignIn lost={wasSignedIn.current && !isSignedOutOnPurpose()} />;
  const { organisation, ...person } = session.data;
  if (!organisation) {
    return (
      <main className="mx-auto max-w-xl px-4 py-16">
        <PageHeading
          title="You are not a member of any organisation"
          hint={`You are signed in as ${person.user.email}. Ask an owner or admin of an organisation for an invitation, and open its link here.`}
        />
        <Button onClick={() => void signOut()}>Sign out</Button>
      </main>
    );
  }
  if (person.needsProvider) {
    return (
      <Suspense fallback={<ShellSkeleton />}>
        <AskedForProvider session={{ ...person, organisation }} />
      </Suspense>
    );
  }
  const viewer = viewerOf(session.data) ?? "";
  if (askedBy !== undefined && askedBy !== viewer) setAskedBy(undefined);
  if (person.needsSecondFactor || askedBy === viewer) {
    return (
      <Suspense fallback={<ShellSkeleton />}>
        <AskedForFactor
          key={viewer}
          session={{ ...person, organisation }}
          kept={() => setAskedBy(viewer)}
          done={() => setAskedBy(undefined)}
        />
      </Suspense>
    );
  }
  return (
    <SessionContext value={{ ...person, organisation }}>
      <AppShell key={viewer} />
    </SessionContext>
  );
}

/** Redirects to the sign-in. `lost` means that the session ended without the person signing out. */
function AskToSignIn({ lost }: { lost: boolean }) {
  const { href } = useLocation();
  // The URL changes before this page unmounts.
  const [query] = useState(
    () => new URLSearchParams({ ...(href !== "/" && { next: href }), ...(lost && { lost: "true" }) }),
  );
  return <Redirect to={query.size > 0 ? `/sign-in?${query}` : "/sign-in"} />;
}
