import { acceptInvitation } from "@lodge/contract/calls.generated";
import type { AcceptInvitation, InvitationLink } from "@lodge/contract/dashboard/access";
import { nameLengthMax, passwordLengthMax, passwordLengthMin } from "@lodge/contract/limits";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { call, isRefused } from "../../api/call.ts";
import { invitationLinkQuery, sessionQuery, setupQuery } from "../../api/queries.ts";
import { adoptSession } from "../../session/adopt-session.ts";
import { signOut } from "../../session/sign-out.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormError, LoadError } from "../../ui/notice.tsx";
import { FrontPage } from "./front-page.tsx";
import { LostPassword } from "./lost-password.tsx";

/** Accepts an invitation by its link, with a new account or an existing one. */
export function InvitationPage() {
  const { secret } = useParams({ from: "/invitations/$secret" });
  const invitation = useQuery(invitationLinkQuery(secret));
  const session = useQuery(sessionQuery);
  if (isRefused(invitation.error, "invitation_not_found")) {
    return (
      <FrontPage
        title="This invitation no longer works"
        hint="It has expired, or it was accepted, revoked or replaced by a newer one. Ask the person who invited you for a new link."
      >
        <Link to="/" className={buttonClass()}>
          Go to Lodge
        </Link>
      </FrontPage>
    );
  }
  if (invitation.isError) return <LoadError error={invitation.error} retry={() => void invitation.refetch()} />;
  if (!invitation.data || session.isPending) return null;
  const { organisationName, email, role, signInPath, needsProvider } = invitation.data;
  const title = `Join ${organisationName}`;
  const hint = (
    <>
      You are invited as {role === "member" ? "a member" : `an ${role}`}, with the address{" "}
      <strong className="font-medium text-ink">{email}</strong>.
    </>
  );
  if (session.data && session.data.user.email.toLowerCase() !== email.toLowerCase()) {
    return (
      <FrontPage title={title} hint={hint}>
        <p className="mb-4">
          You are signed in as {session.data.user.email}. Sign out to accept with the invited address.
        </p>
        <Button onClick={() => void signOut()}>Sign out</Button>
      </FrontPage>
    );
  }
  if (session.data?.isByProvider) {
    return (
      <FrontPage title={title} hint={hint}>
        <p className="mb-4">
          The identity provider of {session.data.organisation?.name ?? "another organisation"} has signed you in. That
          account belongs to that organisation only. Sign out to accept with an account of your own.
        </p>
        <Button onClick={() => void signOut()}>Sign out</Button>
      </FrontPage>
    );
  }
  const withProvider = signInPath && (
    <a href={signInPath} className={`${buttonClass({ look: "primary" })} h-9`}>
      Sign in with {organisationName}
    </a>
  );
  if (!session.data && needsProvider) {
    return (
      <FrontPage title={title} hint={hint}>
        <p className="mb-4">{organisationName} requires members to sign in with its identity provider.</p>
        {withProvider}
      </FrontPage>
    );
  }
  return (
    <FrontPage title={title} hint={hint}>
      {!session.data && withProvider && (
        <div className="mb-5 flex flex-col gap-3 border-b border-line pb-5">
          {withProvider}
          <p className="text-sm text-muted">Or create an account with a password:</p>
        </div>
      )}
      <Accept secret={secret} invitation={invitation.data} isSignedIn={Boolean(session.data)} />
      {!session.data && <HasAccount secret={secret} email={email} />}
    </FrontPage>
  );
}

/** For people with an account. Always shown, because the page must not reveal whether an account exists. */
function HasAccount({ secret, email }: { secret: string; email: string }) {
  const setup = useQuery(setupQuery);
  return (
    <section aria-labelledby="has-account" className="mt-6 border-t border-line pt-5">
      <h2 id="has-account" className="mb-1 font-medium">
        Already have an account?
      </h2>
      <p className="mb-3 text-sm text-muted">
        If an account with this address exists and you did not create it, reset its password with “Forgot password?” on
        the sign-in page. This removes everything that somebody else set up in the account.
      </p>
      <Link to="/sign-in" search={{ next: `/invitations/${secret}` }} className={`${buttonClass()} h-9 w-full`}>
        Sign in to accept
      </Link>
      <LostPassword email={email} sendsMail={setup.data?.sendsMail ?? false} />
    </section>
  );
}

function Accept({
  secret,
  invitation,
  isSignedIn,
}: {
  secret: string;
  invitation: InvitationLink;
  isSignedIn: boolean;
}) {
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const accept = useMutation({
    mutationFn: (body: AcceptInvitation) => call(acceptInvitation, { params: { secret }, body }),
    onSuccess: async (session) => {
      await adoptSession(session);
      await navigate({ to: "/", replace: true });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    accept.mutate(isSignedIn ? {} : { name, password });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {!isSignedIn && (
        <>
          <TextField
            label="Your name"
            name="name"
            autoComplete="name"
            autoFocus
            required
            lengthMax={nameLengthMax}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <TextField
            label="Choose a password"
            type="password"
            name="password"
            autoComplete="new-password"
            required
            minLength={passwordLengthMin}
            lengthMax={passwordLengthMax}
            hint={`At least ${passwordLengthMin} characters, and not a common password.`}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </>
      )}
      {isRefused(accept.error, "not_signed_in") ? (
        <p role="alert" className="rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
          There is an account with this address already. Sign in below to accept. If you do not know the password, reset
          it there.
        </p>
      ) : (
        <FormError error={accept.error} />
      )}
      <Button type="submit" look="primary" busy={accept.isPending} className="h-9">
        Join {invitation.organisationName}
      </Button>
    </form>
  );
}
