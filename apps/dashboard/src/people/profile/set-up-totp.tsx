import { beginTotp, confirmTotp } from "@lodge/contract/calls.generated";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "../../api/call.ts";
import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copyable.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormError } from "../../ui/notice.tsx";
import { KnownPassword } from "./known-password.tsx";
import { QrCode } from "./qr-code.tsx";
import { RecoveryCodeList } from "./recovery-code-list.tsx";

const codeLengthMax = 40;

/**
 * Sets up an authenticator app: asks for the password, shows the key, checks the first code, and shows recovery codes.
 */
export function SetUpTotp({ kept = () => {}, done }: { kept?: () => void; done: () => void }) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const begin = useMutation({
    mutationFn: () => call(beginTotp, { body: { password } }),
    gcTime: 0, // the secret is dropped with the form
  });
  const confirm = useMutation({ mutationFn: () => call(confirmTotp, { body: { code } }), gcTime: 0, onSuccess: kept });
  if (confirm.data) return <RecoveryCodeList codes={confirm.data.recoveryCodes} done={done} />;
  if (!begin.data) {
    const onSubmit = (event: FormEvent) => {
      event.preventDefault();
      begin.mutate();
    };
    return (
      <form onSubmit={onSubmit} className="flex flex-col gap-3">
        <KnownPassword value={password} onChange={setPassword} />
        <FormError error={begin.error} />
        <Button type="submit" look="primary" className="self-start" busy={begin.isPending}>
          Set up an authenticator app
        </Button>
      </form>
    );
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    confirm.mutate();
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
      <p>Scan this with an authenticator app, or enter the key.</p>
      <QrCode text={begin.data.uri} label="The key as a QR code" />
      <Copyable title="Key" text={begin.data.secret} />
      <TextField
        label="Code from the app"
        autoComplete="one-time-code"
        inputMode="numeric"
        autoFocus
        required
        lengthMax={codeLengthMax}
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      <FormError error={confirm.error} />
      <Button type="submit" look="primary" className="self-start" busy={confirm.isPending}>
        Turn on
      </Button>
    </form>
  );
}
