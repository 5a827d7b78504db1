import { signIn as startSession } from "@lodge/contract/calls.generated";
import type { SignIn } from "@lodge/contract/dashboard/access";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { call, isRefused } from "../../api/call.ts";
import { sessionQuery, setupQuery } from "../../api/queries.ts";
import { adoptSession } from "../../session/adopt-session.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormError } from "../../ui/notice.tsx";
import { Redirect } from "../../ui/redirect.tsx";
import { FrontPage } from "./front-page.tsx";
import { LostPassword } from "./lost-password.tsx";
import { pathWithin } from "./path-within.ts";
import { WithOrganisation } from "./with-organisation.tsx";
import { WithPasskey } from "./with-passkey.tsx";

/** Signs in, then opens the page that was requested. */
export function SignInPage() {
  const { next, lost } = useSearch({ from: "/sign-in" });
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [asksCode, setAsksCode] = useState(false);
  const setup = useQuery(setupQuery);
  const session = useQuery(sessionQuery);
  const signIn = useMutation({
    mutationFn: (body: SignIn) => call(startSession, { body }),
    onSuccess: adoptSession,
    onError: (error) => {
      if (isRefused(error, "second_factor_required")) setAsksCode(true);
    },
  });
  if (setup.data?.needed) return <Redirect to="/setup" />;
  if (session.data) return <Redirect to={pathWithin(next)} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate({ email, password, ...(asksCode && { code }) });
  };
  return (
    <FrontPage title="Sign in to Lodge">
      {lost && (
        <p role="status" className="mb-4 rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
          You were signed out. Sign in to continue. Your unsaved text is kept.
        </p>
      )}
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="E-mail address"
          type="email"
          name="email"
          autoComplete="username"
          autoFocus
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          label="Password"
          type="password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {asksCode && (
          <TextField
            label="Code"
            name="code"
            autoComplete="one-time-code"
            autoFocus
            required
            hint="From your authenticator app, or a recovery code. You can also use your passkey below."
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
        <FormError error={isRefused(signIn.error, "second_factor_required") ? null : signIn.error} />
        <Button type="submit" look="primary" busy={signIn.isPending} className="h-9">
          Sign in
        </Button>
      </form>
      <WithPasskey />
      <WithOrganisation next={next} />
      <LostPassword email={email} sendsMail={setup.data?.sendsMail ?? false} />
      <p className="mt-2 text-sm text-muted">
        No account yet? Ask an owner or admin of your organisation to invite you.
      </p>
    </FrontPage>
  );
}
