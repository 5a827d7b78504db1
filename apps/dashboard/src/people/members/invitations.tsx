import { revokeInvitation } from "@lodge/contract/calls.generated";
import type { Invitation } from "@lodge/contract/dashboard/access";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { invitationsQuery } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/modal.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { makeInvitation } from "./invite-dialog.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { roleLabels } from "./roles.ts";

/** The pending invitations. */
export function Invitations() {
  const invitations = useQuery(invitationsQuery);
  return (
    <section aria-labelledby="invitations" className="mt-8">
      <h2 id="invitations" className="mb-2 text-md font-semibold">
        Invitations
      </h2>
      {invitations.isError && !invitations.data && (
        <LoadError error={invitations.error} retry={() => void invitations.refetch()} />
      )}
      {invitations.data?.length === 0 && <p className="text-muted">No pending invitations.</p>}
      {invitations.data && invitations.data.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul role="list" className="divide-y divide-line rounded-lg border border-line bg-surface">
          {invitations.data.map((invitation) => (
            <InvitationRow key={invitation.id} invitation={invitation} />
          ))}
        </ul>
      )}
    </section>
  );
}

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const [revoking, setRevoking] = useState(false);
  const [renewing, setRenewing] = useState(false);
  const expired = Date.parse(invitation.expiresAt) < Date.now();
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2.5">
      <div className="min-w-40 flex-1">
        <p className="font-medium wrap-anywhere">{invitation.email}</p>
        <p className="text-sm text-muted">
          {roleLabels[invitation.role]}, invited by {invitation.invitedBy}.{" "}
          <span className={expired ? "text-danger-ink" : ""}>
            {expired ? "Expired" : "Expires"} <ExactTime at={invitation.expiresAt} />
          </span>
        </p>
      </div>
      <Button small look="quiet" onClick={() => setRenewing(true)}>
        Resend<span className="sr-only"> the invitation for {invitation.email}</span>
      </Button>
      <Button small look="quiet" onClick={() => setRevoking(true)}>
        Revoke<span className="sr-only"> the invitation for {invitation.email}</span>
      </Button>
      {renewing && (
        <LinkDialog
          title={`Resend the invitation for ${invitation.email}`}
          titleOf={({ to }) => `${to} is invited`}
          make={() => makeInvitation({ email: invitation.email, role: invitation.role })}
          close={() => setRenewing(false)}
        >
          <p className="text-muted">They get a new link. The previous link stops working.</p>
        </LinkDialog>
      )}
      {revoking && (
        <Confirm
          title={`Revoke the invitation for ${invitation.email}?`}
          confirm="Revoke invitation"
          act={async () => {
            await call(revokeInvitation, { params: { invitationId: invitation.id } });
            await fetchAfter({ kind: "invitations.changed" });
          }}
          close={() => setRevoking(false)}
        >
          Its link stops working.
        </Confirm>
      )}
    </li>
  );
}
