import { invite } from "@lodge/contract/calls.generated";
import type { Invite, Role } from "@lodge/contract/dashboard/access";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { useSession } from "../../session/use-session.ts";
import { Choice } from "../../ui/choice.tsx";
import { TextField } from "../../ui/field.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { grantableRoles, roleLabels } from "./roles.ts";

/** Invites somebody. Earlier links to the same address stop working. */
export async function makeInvitation(body: Invite) {
  const { invitation, url, isMailed } = await call(invite, { body });
  await fetchAfter({ kind: "invitations.changed" });
  return { to: invitation.email, url, expiresAt: invitation.expiresAt, isMailed };
}

/** Creates an invitation, then shows its link for the inviter to share. */
export function InviteDialog({ close }: { close: () => void }) {
  const { organisation } = useSession();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("member");
  return (
    <LinkDialog
      title={`Invite to ${organisation.name}`}
      titleOf={({ to }) => `${to} is invited`}
      make={() => makeInvitation({ email, role })}
      close={close}
    >
      <TextField
        label="E-mail address"
        type="email"
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <div>
        <p aria-hidden className="mb-1 text-sm font-medium">
          Role
        </p>
        <Choice
          label="Role"
          options={grantableRoles(organisation.role).map((option) => ({ value: option, label: roleLabels[option] }))}
          value={role}
          onChange={setRole}
          className="w-40"
        />
      </div>
    </LinkDialog>
  );
}
