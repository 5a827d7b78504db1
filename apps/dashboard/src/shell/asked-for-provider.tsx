import { useLocation } from "@tanstack/react-router";
import { useProvider } from "../people/sign-in/use-provider.ts";
import type { MemberSession } from "../session/use-session.ts";
import { Button } from "../ui/button.tsx";
import { FormError } from "../ui/notice.tsx";
import { PageHeading } from "../ui/page-heading.tsx";
import { OtherWays } from "./other-ways.tsx";

/** Shown if the organisation requires members to sign in with its identity provider. */
export function AskedForProvider({ session }: { session: MemberSession }) {
  const { organisation, user } = session;
  const { href } = useLocation();
  const begin = useProvider(href);
  return (
    <main className="mx-auto max-w-xl px-4 py-16">
      <PageHeading
        title={`${organisation.name} requires sign-in through its identity provider`}
        hint={`You are signed in as ${user.email}, but not through the identity provider. Sign in with it to continue.`}
      />
      <FormError error={begin.error} />
      <Button look="primary" busy={begin.isPending} onClick={() => begin.mutate(organisation.slug)}>
        Continue to the provider
      </Button>
      <OtherWays session={session} />
    </main>
  );
}
