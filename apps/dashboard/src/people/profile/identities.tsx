import { listOwnIdentities, unlinkOwnIdentity } from "@lodge/contract/calls.generated";
import type { OwnIdentityList } from "@lodge/contract/dashboard/providers";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { keyOf, query } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { Confirm, Modal } from "../../ui/modal.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { tellDone } from "../../ui/toasts.tsx";
import { goAndLink } from "../sign-in/use-provider.ts";
import { KnownPassword } from "./known-password.tsx";

type Identity = OwnIdentityList["identities"][number];

/**
 * The identity providers of the person's organisations, which can be linked and unlinked. Renders nothing without any.
 */
export function Identities() {
  const identities = useQuery(query(listOwnIdentities));
  if (identities.isError && !identities.data) {
    return <LoadError error={identities.error} retry={() => void identities.refetch()} />;
  }
  if (!identities.data || identities.data.identities.length === 0) return null;
  return (
    <Section title="Sign in with your organisation">
      <p className="text-sm text-muted">
        To sign in to this account with your organisation's identity provider, link it. If you sign in with the provider
        without linking, you get a separate account.
      </p>
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
      <ul role="list" aria-label="Identity providers" className="divide-y divide-line">
        {identities.data.identities.map((identity) => (
          <IdentityRow key={identity.organisation.id} identity={identity} />
        ))}
      </ul>
    </Section>
  );
}

function IdentityRow({ identity }: { identity: Identity }) {
  const { organisation, issuer, linkedAt } = identity;
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2.5 first:pt-0">
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">{organisation.name}</p>
        <p className="text-sm text-muted wrap-anywhere">
          {issuer}
          {" · "}
          {linkedAt ? (
            <>
              linked <Time at={linkedAt} />
            </>
          ) : (
            "not linked"
          )}
        </p>
      </div>
      <Button onClick={() => setOpen(true)}>
        {linkedAt ? "Unlink" : "Link"}
        <span className="sr-only"> {organisation.name}</span>
      </Button>
      {open &&
        (linkedAt ? <Unlink identity={identity} close={close} /> : <LinkAccount identity={identity} close={close} />)}
    </li>
  );
}

function LinkAccount({ identity: { organisation }, close }: { identity: Identity; close: () => void }) {
  const [password, setPassword] = useState("");
  const link = useMutation({ mutationFn: () => goAndLink(organisation.slug, password) });
  return (
    <Modal title={`Link your account with ${organisation.name}`} close={close}>
      <DialogForm save={link} submit="Continue to the provider" onSubmit={() => link.mutate()} close={close}>
        <p className="text-muted">
          Sign in with the identity provider once to link it. From then on, it signs you in to this account, with access
          to {organisation.name} only.
        </p>
        <KnownPassword autoFocus value={password} onChange={setPassword} />
      </DialogForm>
    </Modal>
  );
}

function Unlink({ identity: { organisation }, close }: { identity: Identity; close: () => void }) {
  const queryClient = useQueryClient();
  return (
    <Confirm
      title={`Unlink your account from ${organisation.name}?`}
      confirm="Unlink"
      act={async () => {
        const left = await call(unlinkOwnIdentity, { params: { slug: organisation.slug } });
        queryClient.setQueryData(keyOf(listOwnIdentities), left);
        tellDone("Account unlinked");
      }}
      close={close}
    >
      You are signed out of the sessions that the provider opened. The next time you sign in with it, you get a separate
      account.
    </Confirm>
  );
}
