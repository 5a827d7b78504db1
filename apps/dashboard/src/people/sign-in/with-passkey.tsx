import { beginPasskeySignIn, finishPasskeySignIn } from "@lodge/contract/calls.generated";
import type { SignInByPasskey } from "@lodge/contract/dashboard/passkeys";
import { useMutation } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { call } from "../../api/call.ts";
import { adoptSession } from "../../session/adopt-session.ts";
import { Button } from "../../ui/button.tsx";
import { FormError } from "../../ui/notice.tsx";
import { askAuthenticator } from "./ask-authenticator.ts";

/** Signs in with a passkey of this device, without asking for an account first. Loaded on demand. */
export function WithPasskey() {
  const signIn = useMutation({
    mutationFn: async () => {
      const { startAuthentication } = await import("@simplewebauthn/browser");
      const { options } = await call(beginPasskeySignIn);
      const optionsJSON = options as unknown as Parameters<typeof startAuthentication>[0]["optionsJSON"];
      const credential = await askAuthenticator(() => startAuthentication({ optionsJSON }));
      return call(finishPasskeySignIn, { body: { credential } as SignInByPasskey });
    },
    onSuccess: adoptSession,
  });
  if (!("PublicKeyCredential" in window)) return null;
  return (
    <div className="mt-3 flex flex-col gap-2">
      <FormError error={signIn.error} />
      <Button className="h-9" busy={signIn.isPending} onClick={() => signIn.mutate()}>
        <KeyRound aria-hidden className="size-4" />
        Sign in with a passkey
      </Button>
    </div>
  );
}
