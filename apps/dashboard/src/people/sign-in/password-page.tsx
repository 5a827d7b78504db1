import { setPassword } from "@lodge/contract/calls.generated";
import { passwordLengthMax, passwordLengthMin } from "@lodge/contract/limits";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { call, isRefused } from "../../api/call.ts";
import { passwordLinkQuery } from "../../api/queries.ts";
import { adoptSession } from "../../session/adopt-session.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormError, LoadError } from "../../ui/notice.tsx";
import { FrontPage } from "./front-page.tsx";

/** Chooses a new password by a link, and signs in with it. */
export function PasswordPage() {
  const { secret } = useParams({ from: "/passwords/$secret" });
  const navigate = useNavigate();
  const [password, enterPassword] = useState("");
  const link = useQuery(passwordLinkQuery(secret));
  const set = useMutation({
    mutationFn: () => call(setPassword, { params: { secret }, body: { password } }),
    onSuccess: async (session) => {
      await adoptSession(session);
      await navigate({ to: "/", replace: true });
    },
  });
  if (isRefused(link.error ?? set.error, "password_link_not_found")) {
    return (
      <FrontPage
        title="This link no longer works"
        hint="It has expired, or it was used or replaced by a newer one. Ask for a new one."
      >
        <Link to="/sign-in" className={buttonClass()}>
          Go to sign-in
        </Link>
      </FrontPage>
    );
  }
  if (isRefused(set.error, "second_factor_required")) {
    return (
      <FrontPage title="Password saved" hint="Sign in with it and your second factor.">
        <Link to="/sign-in" className={buttonClass()}>
          Go to sign-in
        </Link>
      </FrontPage>
    );
  }
  if (link.isError) return <LoadError error={link.error} retry={() => void link.refetch()} />;
  if (!link.data) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set.mutate();
  };
  return (
    <FrontPage title="Choose a new password" hint="You will be signed in, and signed out everywhere else.">
      <form onSubmit={submit} className="flex flex-col gap-4">
        {/* Password managers save the new password under this name. */}
        <TextField label="E-mail address" type="email" autoComplete="username" readOnly value={link.data.email} />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          autoFocus
          required
          minLength={passwordLengthMin}
          lengthMax={passwordLengthMax}
          hint={`At least ${passwordLengthMin} characters, and not a common password.`}
          value={password}
          onChange={(event) => enterPassword(event.target.value)}
        />
        {link.data.verifiesAddress && (
          <p className="text-sm text-muted">
            This confirms that the address is yours. It removes all passkeys and second factors that were added before,
            and you leave any organisation that you joined through a link that was not e-mailed to you.
          </p>
        )}
        <FormError error={set.error} />
        <Button type="submit" look="primary" busy={set.isPending} className="h-9">
          Save password
        </Button>
      </form>
    </FrontPage>
  );
}
