import { getIdentityProvider, removeIdentityProvider } from "@lodge/contract/calls.generated";
import type { IdentityProviderSettings } from "@lodge/contract/dashboard/providers";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { query } from "../../api/query.ts";
import { useSession } from "../../session/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copyable.tsx";
import { Confirm } from "../../ui/modal.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { Section } from "../../ui/section.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { tellDone } from "../../ui/toasts.tsx";
import { ProviderDialog } from "./provider-dialog.tsx";
import { roleLabels } from "./roles.ts";

/** The identity provider that members sign in with. Owners can change it. */
export function IdentityProvider() {
  const settings = useQuery(query(getIdentityProvider));
  return (
    <div className="mt-4">
      {settings.isPending && <Skeleton className="h-24" />}
      {settings.isError && !settings.data && <LoadError error={settings.error} retry={() => void settings.refetch()} />}
      {settings.data && <Loaded settings={settings.data} />}
    </div>
  );
}

function Loaded({ settings }: { settings: IdentityProviderSettings }) {
  const { organisation } = useSession();
  const [open, setOpen] = useState<"set" | "remove">();
  const { provider, signInUrl } = settings;
  const isOwner = organisation.role === "owner";
  const close = () => setOpen(undefined);
  const actions = isOwner && (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => setOpen("set")}>{provider ? "Change" : "Set up"}</Button>
      {provider && <Button onClick={() => setOpen("remove")}>Remove</Button>}
    </div>
  );
  return (
    <Section title="Identity provider" actions={actions}>
      {provider ? (
        <>
          <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[max-content_1fr]">
            {factsOf(provider).map(([name, value]) => (
              <div key={name} className="contents">
                <dt className="text-muted">{name}</dt>
                <dd className="wrap-anywhere">{value}</dd>
              </div>
            ))}
          </dl>
          <Copyable title="Where members sign in" text={signInUrl} />
        </>
      ) : (
        <p className="text-muted">
          Members can sign in with your OpenID Connect provider. Everyone it signs in becomes a member with the role it
          assigns. If you created the organisation, link your own account on your profile afterwards.
          {!isOwner && " Only an owner can set it up."}
        </p>
      )}
      {open === "set" && <ProviderDialog settings={settings} close={close} />}
      {open === "remove" && (
        <Confirm
          title="Remove the identity provider?"
          confirm="Remove"
          act={async () => {
            await call(removeIdentityProvider);
            await fetchAfter({ kind: "members.changed" });
            tellDone("Identity provider removed");
          }}
          close={close}
        >
          Everyone who signed in with the provider is signed out, but remains a member. Members with a password can sign
          in with their password. Accounts that the provider created have no password: invite these people again, or set
          up the provider again.
        </Confirm>
      )}
    </Section>
  );
}

function factsOf({
  issuer,
  clientId,
  domains,
  roleClaim,
  roles,
  defaultRole,
  isRequired,
}: NonNullable<IdentityProviderSettings["provider"]>): [string, string][] {
  const given = (["owner", "admin", "member"] as const).filter((role) => roles[role].length > 0);
  return [
    ["Issuer", issuer],
    ["Client id", clientId],
    ["E-mail domains", domains.join(", ")],
    ...given.map((role): [string, string] => [`${roleLabels[role]} if “${roleClaim}” is`, roles[role].join(", ")]),
    ["Everyone else", defaultRole ? roleLabels[defaultRole] : "No access"],
    ["Passwords", isRequired ? "Only for owners" : "For all roles"],
  ];
}
