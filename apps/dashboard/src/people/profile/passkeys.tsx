import { addPasskey, beginPasskey, changePasskey, listPasskeys, removePasskey } from "@lodge/contract/calls.generated";
import type { AddPasskey, Passkey } from "@lodge/contract/dashboard/passkeys";
import { nameLengthMax } from "@lodge/contract/limits";
import { browserSupportsWebAuthn, startRegistration } from "@simplewebauthn/browser";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { query } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { TextField } from "../../ui/field.tsx";
import { Modal } from "../../ui/modal.tsx";
import { NameDialog } from "../../ui/name-dialog.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { Section } from "../../ui/section.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { tellDone } from "../../ui/toasts.tsx";
import { askAuthenticator } from "../sign-in/ask-authenticator.ts";
import { browserName } from "./browser-name.ts";
import { KnownPassword } from "./known-password.tsx";
import { RecoveryCodeList } from "./recovery-code-list.tsx";

/** The person's passkeys, which can be added, renamed and removed. Calls `changed` when one was added or removed. */
export function Passkeys({ changed }: { changed: () => void }) {
  const passkeys = useQuery(query(listPasskeys));
  const [making, setMaking] = useState(false);
  const [renaming, setRenaming] = useState<Passkey>();
  const [removing, setRemoving] = useState<Passkey>();
  const refetch = () => {
    void passkeys.refetch();
    void fetchAfter({ kind: "members.changed" }); // the organisation may no longer ask for a second factor
    changed();
  };
  const canMake = browserSupportsWebAuthn();
  const actions = !making && canMake && <Button onClick={() => setMaking(true)}>Add passkey</Button>;
  return (
    <Section title="Passkeys" actions={actions}>
      {passkeys.isError && !passkeys.data && <LoadError error={passkeys.error} retry={() => void passkeys.refetch()} />}
      {passkeys.isPending && <Skeleton className="h-12" />}
      {passkeys.data?.passkeys.length === 0 && !making && (
        <p className="text-muted">
          Sign in with your fingerprint, your face or a security key instead of a password. A passkey counts as a second
          factor.
          {!canMake && " This browser does not support passkeys, or the page is not opened over HTTPS."}
        </p>
      )}
      {passkeys.data && passkeys.data.passkeys.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul role="list" aria-label="Passkeys" className="divide-y divide-line">
          {passkeys.data.passkeys.map((passkey) => (
            <li
              key={passkey.id}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2.5 first:pt-0"
            >
              <div className="min-w-0">
                <p className="font-medium wrap-anywhere">{passkey.name}</p>
                <p className="text-sm text-muted">
                  created <Time at={passkey.createdAt} />
                  {" · "}
                  {passkey.usedAt ? (
                    <>
                      last used <Time at={passkey.usedAt} />
                    </>
                  ) : (
                    "not used yet"
                  )}
                </p>
              </div>
              <div className="flex gap-2">
                <Button aria-label={`Rename ${passkey.name}`} onClick={() => setRenaming(passkey)}>
                  Rename
                </Button>
                <Button aria-label={`Remove ${passkey.name}`} onClick={() => setRemoving(passkey)}>
                  Remove
                </Button>
              </div>
            </li>
          ))}
        </ul>
      )}
      {making && <MakePasskey kept={refetch} done={() => setMaking(false)} />}
      {renaming && (
        <NameDialog
          title={`Rename ${renaming.name}`}
          name={renaming.name}
          submit="Rename"
          act={async (name) => {
            await call(changePasskey, { params: { passkeyId: renaming.id }, body: { name } });
            await passkeys.refetch();
          }}
          close={() => setRenaming(undefined)}
        />
      )}
      {removing && <RemovePasskey passkey={removing} removed={refetch} close={() => setRemoving(undefined)} />}
    </Section>
  );
}

/** Adds a passkey: asks for the password, has the browser create it, and for the first one shows recovery codes. */
export function MakePasskey({ kept = () => {}, done }: { kept?: () => void; done: () => void }) {
  const [name, setName] = useState(() => browserName(navigator.userAgent));
  const [password, setPassword] = useState("");
  const make = useMutation({
    mutationFn: async () => {
      const { options } = await call(beginPasskey, { body: { password } });
      const optionsJSON = options as unknown as Parameters<typeof startRegistration>[0]["optionsJSON"];
      const credential = await askAuthenticator(() => startRegistration({ optionsJSON }));
      return call(addPasskey, { body: { name: name.trim(), credential } as AddPasskey });
    },
    gcTime: 0, // the codes are dropped with the form
    onSuccess: ({ recoveryCodes }) => {
      kept();
      if (recoveryCodes !== null) return;
      tellDone("Passkey added");
      done();
    },
  });
  if (make.data?.recoveryCodes) return <RecoveryCodeList codes={make.data.recoveryCodes} done={done} />;
  return (
    <DialogForm save={make} submit="Add passkey" onSubmit={() => make.mutate()} close={done}>
      <TextField
        label="Name of the passkey"
        autoComplete="off"
        required
        pattern=".*\S.*"
        lengthMax={nameLengthMax}
        hint="For example, the device it is stored on."
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <KnownPassword autoFocus value={password} onChange={setPassword} />
    </DialogForm>
  );
}

function RemovePasskey({ passkey, removed, close }: { passkey: Passkey; removed: () => void; close: () => void }) {
  const [password, setPassword] = useState("");
  const remove = useMutation({
    mutationFn: () => call(removePasskey, { params: { passkeyId: passkey.id }, body: { password } }),
    onSuccess: () => {
      removed();
      tellDone("Passkey removed");
      close();
    },
  });
  return (
    <Modal title={`Remove ${passkey.name}?`} close={close}>
      <DialogForm save={remove} submit="Remove passkey" onSubmit={() => remove.mutate()} close={close}>
        <p className="text-muted">
          You can no longer sign in with it. Remove it from your device or password manager as well.
        </p>
        <KnownPassword value={password} onChange={setPassword} />
      </DialogForm>
    </Modal>
  );
}
