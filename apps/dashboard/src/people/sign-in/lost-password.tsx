import { losePassword } from "@lodge/contract/calls.generated";
import { useMutation } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { Button } from "../../ui/button.tsx";
import { FormError } from "../../ui/notice.tsx";

/** Help for a forgotten password: a link by e-mail, or else one that an admin creates. */
export function LostPassword({ email, sendsMail }: { email: string; sendsMail: boolean }) {
  const lose = useMutation({ mutationFn: (address: string) => call(losePassword, { body: { email: address } }) });
  return (
    <details className="mt-6 text-sm text-muted">
      <summary className="w-fit cursor-pointer rounded-sm hover:text-ink">Forgot password?</summary>
      <div className="mt-2 flex flex-col items-start gap-3">
        {sendsMail ? (
          <>
            <p>
              {email.includes("@")
                ? `Lodge will e-mail ${email} a link to choose a new password.`
                : "Enter your e-mail address above. Lodge will e-mail you a link to choose a new password."}
            </p>
            <FormError error={lose.error} />
            {lose.isSuccess ? (
              <p role="status" className="text-ink">
                If {lose.variables} has an account here, Lodge has e-mailed the link. It works for 24 hours.
              </p>
            ) : (
              <Button small busy={lose.isPending} disabled={!email.includes("@")} onClick={() => lose.mutate(email)}>
                Send the link
              </Button>
            )}
          </>
        ) : (
          <p>
            Ask an owner or admin of your organisation to create a password link for you on the Members page. Your cards
            and comments stay.
          </p>
        )}
      </div>
    </details>
  );
}
