import { getSecondFactor, removeOwnSecondFactor, renewRecoveryCodes } from "@lodge/contract/calls.generated";
import type { SecondFactor as State } from "@lodge/contract/dashboard/factors";
import { passwordLengthMax } from "@lodge/contract/limits";
import { type UseQueryResult, useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "../api/call.ts";
import { query } from "../api/query.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { FormError, LoadError } from "../ui/notice.tsx";
import { Section } from "../ui/section.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Time } from "../ui/time.tsx";
import { tellDone } from "../ui/toasts.tsx";
import { Passkeys } from "./passkeys.tsx";
import { RecoveryCodeList } from "./recovery-code-list.tsx";
import { SetUpTotp } from "./set-up-totp.tsx";

/** What a person signs in with beside the password: an app, with codes for recovery, and passkeys. */
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
  const end = () => {
    setDoing(undefined);
    refetch();
  };
  if (doing === "set-up") return <SetUpTotp done={end} />;
  if (state.since === null) {
    return (
      <>
        <p className="text-muted">
          Signing in then takes a code of an app on your phone as well, so that a password alone is worth nothing.
        </p>
        {state.recoveryCodesLeft > 0 && doing !== "renew" && (
          <p>
            Your passkeys are one. {state.recoveryCodesLeft} of 10 codes for recovery are left, for when you have none
            of them at hand.
          </p>
        )}
        {doing === "renew" ? (
          <WithPassword key={doing} doing={doing} done={end} />
        ) : (
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => setDoing("set-up")}>Set up a second factor</Button>
            {state.recoveryCodesLeft > 0 && <Button onClick={() => setDoing("renew")}>New codes for recovery</Button>}
          </div>
        )}
      </>
    );
  }
  if (doing) return <WithPassword key={doing} doing={doing} done={end} />;
  return (
    <>
      <p>
        On since <Time at={state.since} />. {state.recoveryCodesLeft} of 10 codes for recovery are left.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setDoing("renew")}>New codes for recovery</Button>
        <Button onClick={() => setDoing("remove")}>Remove the second factor</Button>
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
      tellDone("The second factor is removed");
      done();
    },
  });
  if (act.data) return <RecoveryCodeList codes={act.data} done={done} />;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    act.mutate();
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
      <TextField
        label="Your password"
        type="password"
        autoComplete="current-password"
        autoFocus
        required
        lengthMax={passwordLengthMax}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <FormError error={act.error} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look={doing === "remove" ? "danger" : "primary"} busy={act.isPending}>
          {doing === "remove" ? "Remove the second factor" : "Make new codes"}
        </Button>
        <Button onClick={done}>Cancel</Button>
      </div>
    </form>
  );
}
