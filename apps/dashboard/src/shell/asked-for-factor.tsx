import { lazy, Suspense } from "react";
import { fetchAfter } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { PageHeading } from "../ui/page-heading.tsx";
import { signOut } from "./sign-out.ts";
import { switchOrganisation } from "./switch-organisation.ts";
import type { MemberSession } from "./use-session.ts";

const SetUpTotp = lazy(() => import("../profile/set-up-totp.tsx").then((page) => ({ default: page.SetUpTotp })));

/** What stands where an organisation wants a second factor of who has none. */
export function AskedForFactor({
  session: { organisation, organisations, user },
  done,
}: {
  session: MemberSession;
  done: () => void;
}) {
  const end = async () => {
    await fetchAfter({ kind: "members.changed" });
    done();
  };
  return (
    <main className="mx-auto max-w-xl px-4 py-16">
      <PageHeading
        title={`${organisation.name} asks for a second factor`}
        hint={`You are signed in as ${user.email}. Signing in then takes a code of an app on your phone as well.`}
      />
      <Suspense>
        <SetUpTotp done={() => void end()} />
      </Suspense>
      <div className="mt-8 flex flex-wrap gap-2 border-t border-line pt-4">
        {organisations
          .filter(({ id }) => id !== organisation.id)
          .map(({ id, name }) => (
            <Button key={id} onClick={() => void switchOrganisation(id)}>
              Go to {name}
            </Button>
          ))}
        <Button onClick={() => void signOut()}>Sign out</Button>
      </div>
    </main>
  );
}
