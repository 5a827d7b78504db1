import { lazy, Suspense, useState } from "react";
import { fetchAfter } from "../api/client.ts";
import type { MemberSession } from "../session/use-session.ts";
import { PageHeading } from "../ui/page-heading.tsx";
import { OtherWays } from "./other-ways.tsx";

const SetUpTotp = lazy(() => import("../people/profile/set-up-totp.tsx").then((page) => ({ default: page.SetUpTotp })));
const MakePasskey = lazy(() =>
  import("../people/profile/passkeys.tsx").then((page) => ({ default: page.MakePasskey })),
);

/** Shown if the organisation requires a second factor that the person has not set up. */
export function AskedForFactor({
  session,
  kept,
  done,
}: {
  session: MemberSession;
  kept: () => void;
  done: () => void;
}) {
  const { organisation, user } = session;
  const [byPasskey, setByPasskey] = useState(false);
  const end = async () => {
    await fetchAfter({ kind: "members.changed" });
    done();
  };
  return (
    <main className="mx-auto max-w-xl px-4 py-16">
      <PageHeading
        title={`${organisation.name} requires a second factor`}
        hint={`You are signed in as ${user.email}. Set up a second factor to continue. After that, you sign in with your password and a code from an app on your phone, or with a passkey.`}
      />
      <Suspense>
        {byPasskey ? (
          <MakePasskey kept={kept} done={() => void end()} />
        ) : (
          <>
            <SetUpTotp kept={kept} done={() => void end()} />
            <p className="mt-4 text-sm text-muted">
              Or{" "}
              <button type="button" className="underline hover:text-ink" onClick={() => setByPasskey(true)}>
                add a passkey
              </button>{" "}
              on this device.
            </p>
          </>
        )}
      </Suspense>
      <OtherWays session={session} />
    </main>
  );
}
