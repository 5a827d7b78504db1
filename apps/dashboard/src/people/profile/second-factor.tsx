import {
  getSecondFactor,
  listPasskeys,
  removeOwnSecondFactor,
  renewRecoveryCodes,
} from "@lodge/contract/calls.generated";
import type { SecondFactor as State } from "@lodge/contract/dashboard/factors";
import { type UseQueryResult, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { query } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { Section } from "../../ui/section.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { tellDone } from "../../ui/toasts.tsx";
import { KnownPassword } from "./known-password.tsx";
import { Passkeys } from "./passkeys.tsx";
import { RecoveryCodeList } from "./recovery-code-list.tsx";
import { SetUpTotp } from "./set-up-totp.tsx";

/** The person's second factors: an authenticator app with recovery codes, and passkeys. */
export function SecondFactor() {
  const state = useQuery(query(getSecondFactor));
  return (
    <>
      <AuthenticatorApp state={state} />
      <Passkeys changed={() => void state.refetch()} />
    </>
  );
}

function AuthenticatorApp({ state }: { state: UseQueryResult<State> }) {
  return (
    <Section title="Second factor">
      {state.isError && !state.data && <LoadError error={state.error} retry={() => void state.refetch()} />}
      {state.isPending && <Skeleton className="h-16" />}
      {state.data && <Loaded state={state.data} refetch={() => void state.refetch()} />}
    </Section>
  );
}

function Loaded({ state, refetch }: { state: State; refetch: () => void }) {
  const [doing, setDoing] = useState<"set-up" | "renew" | "remove">();
  const hasPasskeys = (useQuery(query(listPasskeys)).data?.passkeys.length ?? 0) > 0;
  const end = () => {
    setDoing(undefined);
    refetch();
  };
  if (doing === "set-up") return <SetUpTotp done={end} />;
  if (state.since === null) {
    return (
      <>
        {hasPasskeys ? (
          <>
            <p>
              Your passkeys are your second factor: nobody can sign in with your password alone. Recovery codes left:{" "}
              {state.recoveryCodesLeft} of 10. Use one when you cannot use a passkey.
            </p>
            <p className="text-muted">
              Add an authenticator app if you also want to sign in with your password and a code, on devices without a
              passkey.
            </p>
          </>
        ) : (
          <p className="text-muted">
            With a second factor, signing in also requires a code from an app on your phone, so a stolen password is not
            enough.
          </p>
        )}
        {doing === "renew" ? (
          <WithPassword key={doing} doing={doing} done={end} />
        ) : (
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => setDoing("set-up")}>
              {hasPasskeys ? "Set up an authenticator app" : "Set up a second factor"}
            </Button>
            {hasPasskeys && <Button onClick={() => setDoing("renew")}>Create new recovery codes</Button>}
          </div>
        )}
      </>
    );
  }
  if (doing) return <WithPassword key={doing} doing={doing} done={end} />;
  return (
    <>
      <p>
        On since <ExactTime at={state.since} />. Recovery codes left: {state.recoveryCodesLeft} of 10.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setDoing("renew")}>Create new recovery codes</Button>
        <Button onClick={() => setDoing("remove")}>Remove second factor</Button>
      </div>
    </>
  );
}

function WithPassword({ doing, done }: { doing: "renew" | "remove"; done: () => void }) {
  const [password, setPassword] = useState("");
  const act = useMutation({
    mutationFn: async () => {
      const body = { password };
      if (doing === "renew") return (await call(renewRecoveryCodes, { body })).recoveryCodes;
      await call(removeOwnSecondFactor, { body });
      return undefined;
    },
    gcTime: 0,
    onSuccess: (codes) => {
      if (codes) return;
      tellDone("Second factor removed");
      done();
    },
  });
  if (act.data) return <RecoveryCodeList codes={act.data} done={done} />;
  const submit = doing === "remove" ? "Remove second factor" : "Create new codes";
  const look = doing === "remove" ? "danger" : "primary";
  return (
    <DialogForm save={act} submit={submit} look={look} onSubmit={() => act.mutate()} close={done}>
      <KnownPassword autoFocus value={password} onChange={setPassword} />
    </DialogForm>
  );
}
